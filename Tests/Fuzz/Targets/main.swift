import Glibc

// The fuzz program. fuzz-targets TARGET [FLAGS] [FOLDERS] runs libFuzzer; without arguments, prints the names of all
// targets. With file names on the standard input, fuzz-targets TARGET --edges prints the edges that the files reach, and
// --choose FILES BYTES prints the files to keep.

@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The targets. A target's body runs one input and checks the results: it returns, or ends the program.
let targets: [(name: String, body: ([UInt8]) -> Void)] = [
    ("policy", fuzzPolicy), ("scenario", fuzzScenario), ("properties", fuzzProperties), ("route-pod", fuzzRoutePod),
    ("volume-pod", fuzzVolumePod), ("metadata", fuzzMetadata), ("processes", fuzzProcesses),
    ("arguments", fuzzArguments), ("engine", fuzzEngine), ("rules", fuzzRules), ("routes", fuzzRoutes),
    ("messages", fuzzMessages), ("calls", fuzzCalls), ("pulse", fuzzPulseMessages),
]
/// Passes the target's name on: libFuzzer starts the program again without it, to minimize an input or merge a corpus.
let variable = "AUDIO_SESSION_FUZZ_TARGET"
let first = CommandLine.arguments.dropFirst().first ?? ""
let isNamed = targets.contains { $0.name == first }
let wanted = isNamed ? first : getenv(variable).map { String(cString: $0) } ?? ""
guard let target = targets.first(where: { $0.name == wanted }) else {
    for target in targets { print(target.name) }
    exit(first.isEmpty ? 0 : 2)
}
let chosen = target.body
setenv(variable, target.name, 1)
switch CommandLine.arguments.dropFirst(2).first {
case "--edges":
    EdgeCoverage.show(by: chosen)
    exit(0)
case "--choose":
    let limits = CommandLine.arguments.dropFirst(3).compactMap { Int($0) }
    EdgeCoverage.choose(files: limits.first ?? 0, bytes: limits.last ?? 0, by: chosen)
    exit(0)
default: break
}
/// The arguments without the target's name.
nonisolated(unsafe) var rest = CommandLine.unsafeArgv + (isNamed ? 1 : 0)
rest[0] = CommandLine.unsafeArgv[0]
var count = CommandLine.argc - (isNamed ? 1 : 0)
var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = rest
exit(
    runFuzzer(&count, &start) { data, size in
        chosen(Array(UnsafeBufferPointer(start: data, count: size)))
        return 0
    })
