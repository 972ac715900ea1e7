import Glibc

// What libFuzzer calls: fuzz-targets TARGET [FLAGS] [FOLDERS], or without arguments the names of all targets. With files'
// names as its input: fuzz-targets TARGET --edges tells what these reach, and --choose FILES BYTES which of them to keep.

@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What takes an input and judges what comes of it: it returns, or ends the program.
let targets: [(name: String, body: ([UInt8]) -> Void)] = [
    ("policy", fuzzPolicy), ("scenario", fuzzScenario), ("properties", fuzzProperties), ("route-pod", fuzzRoutePod),
    ("volume-pod", fuzzVolumePod), ("metadata", fuzzMetadata), ("processes", fuzzProcesses),
    ("arguments", fuzzArguments), ("engine", fuzzEngine), ("rules", fuzzRules), ("routes", fuzzRoutes),
    ("messages", fuzzMessages), ("calls", fuzzCalls), ("pulse", fuzzPulseMessages),
]
/// Where it starts itself anew, to make an input smaller or to choose among inputs, libFuzzer leaves out the target's name.
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
    Reached.show(by: chosen)
    exit(0)
case "--choose":
    let limits = CommandLine.arguments.dropFirst(3).compactMap { Int($0) }
    Reached.choose(files: limits.first ?? 0, bytes: limits.last ?? 0, by: chosen)
    exit(0)
default: break
}
/// Without the target's name.
nonisolated(unsafe) var rest = CommandLine.unsafeArgv + (isNamed ? 1 : 0)
rest[0] = CommandLine.unsafeArgv[0]
var count = CommandLine.argc - (isNamed ? 1 : 0)
var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = rest
exit(
    runFuzzer(&count, &start) { data, size in
        chosen(Array(UnsafeBufferPointer(start: data, count: size)))
        return 0
    })
