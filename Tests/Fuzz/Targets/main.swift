import Glibc

// What libFuzzer calls: fuzz-targets TARGET [FLAGS] [FOLDERS], or without arguments the names of all targets.

@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What takes an input and judges what comes of it: it returns, or ends the program.
let targets: [(name: String, body: ([UInt8]) -> Void)] = [
    ("policy", fuzzPolicy), ("properties", fuzzProperties), ("route-pod", fuzzRoutePod),
    ("volume-pod", fuzzVolumePod), ("metadata", fuzzMetadata), ("processes", fuzzProcesses),
    ("arguments", fuzzArguments), ("engine", fuzzEngine), ("rules", fuzzRules), ("routes", fuzzRoutes),

]
let wanted = CommandLine.arguments.dropFirst().first ?? ""
let chosen: ([UInt8]) -> Void =
    targets.first { $0.name == wanted }?.body ?? { _ in }
if !targets.contains(where: { $0.name == wanted }) {
    for target in targets { print(target.name) }
    exit(wanted.isEmpty ? 0 : 2)
}
/// Without the target's name.
nonisolated(unsafe) var rest = CommandLine.unsafeArgv + 1
rest[0] = CommandLine.unsafeArgv[0]
var count = CommandLine.argc - 1
var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = rest
exit(
    runFuzzer(&count, &start) { data, size in
        chosen(Array(UnsafeBufferPointer(start: data, count: size)))
        return 0
    })
