import EngineBench
import PlainEngine
import SessionCore

// What an event costs the old engine and the plain one. Build it with -enable-testing, as Tests/bin/judge does.

extension PlainEngine.Engine: BenchedEngine {}

let arguments = Array(CommandLine.arguments.dropFirst())
let counts = arguments.filter { $0 != "old" && $0 != "plain" }
if !arguments.contains("plain") { benchmarkEngine(SessionCore.Engine.self, counts) }
if !arguments.contains("old") { benchmarkEngine(PlainEngine.Engine.self, counts) }
