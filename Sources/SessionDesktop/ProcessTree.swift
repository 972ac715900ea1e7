/// What the kernel says of processes: who started whom, what they run, and where the desktop has put them.

/// One process, told apart from those that had its number before or will have it later.
public struct ProcessID: Sendable, Hashable {
    /// Its number.
    public let number: UInt32
    /// When it was started, in clock ticks since the machine was (field 22 of `/proc/PID/stat`, proc(5)).
    public let start: UInt64

    /// Makes the identity of a process.
    public init(_ number: UInt32, start: UInt64) {
        self.number = number
        self.start = start
    }
}

/// A sandbox with an application in it.
public struct AppSandbox: Sendable, Hashable {
    /// The application's id, e.g. `org.videolan.VLC`.
    public var application: String
    /// Which of several that run at the same time; `nil` when that is not known.
    public var instance: String?
    /// Whether its own permissions let it reach the sound server's whole interface, and so record.
    public var mayRecord: Bool

    /// Describes a sandbox.
    public init(_ application: String, instance: String? = nil, mayRecord: Bool = false) {
        self.application = application
        self.instance = instance
        self.mayRecord = mayRecord
    }

    /// Whether both are the same one, as far as that is known.
    public func isSame(as other: AppSandbox) -> Bool {
        application == other.application && (instance == nil || other.instance == nil || instance == other.instance)
    }
}

/// What is asked about processes.
public protocol ProcessTree {
    /// The process that started a process, 0 where there is none, and when it was started, as in ``ProcessID/start``; `nil`
    /// when it has gone.
    func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)?
    /// The sandbox that a process runs in; nil outside of any.
    func sandbox(of process: UInt32) -> AppSandbox?
    /// The path of the program that a process runs; `nil` when the kernel does not tell.
    func executable(of process: UInt32) -> String?
    /// What its user calls the program that a process runs: the name by which it was started.
    func name(of process: UInt32) -> String?
    /// The name of the unit in which the desktop has started a process as part of an application, e.g.
    /// `app-gnome-firefox-4711.scope`; `nil` for one that was started otherwise.
    func unit(of process: UInt32) -> String?
    /// What a desktop file calls its application, in the user's language; `nil` where there is no such file.
    ///
    /// - Parameter entry: The name of the file, without `.desktop`.
    func title(ofDesktopEntry entry: String) -> String?
}

extension ProcessTree {
    /// Without any more ado, there are no desktop files.
    public func title(ofDesktopEntry entry: String) -> String? { nil }
    /// Without any more ado, the kernel does not tell.
    public func executable(of process: UInt32) -> String? { nil }
    /// Without any more ado, it is not known.
    public func name(of process: UInt32) -> String? { nil }
    /// Without any more ado, the desktop has started nothing.
    public func unit(of process: UInt32) -> String? { nil }

    /// How many steps a process is above another one, 0 for itself; nil when it is not above it, or further than 32
    /// steps.
    public func distance(from process: UInt32, up ancestor: UInt32) -> Int? {
        // The first process is above all of them, and says nothing.
        guard ancestor > 1 else { return nil }
        var current = process
        for steps in 0..<Program.deepest {
            if current == ancestor { return steps }
            guard let next = birth(of: current)?.parent, next > 1 else { return nil }
            current = next
        }
        return nil
    }

    /// What is known of the program that a process runs; `nil` when the process has gone.
    public func program(of process: UInt32) -> Program? {
        guard process > 0, let birth = birth(of: process) else { return nil }
        let first = ProcessID(process, start: birth.start)
        let executable = executable(of: process)
        var lineage = [first]
        var origin = first
        var next = birth.parent
        while lineage.count < Program.deepest, next > 1, let birth = self.birth(of: next) {
            let ancestor = ProcessID(next, start: birth.start)
            lineage.append(ancestor)
            if executable != nil, self.executable(of: next) == executable { origin = ancestor }
            next = birth.parent
        }
        var program = Program(
            lineage: lineage, origin: origin, executable: executable.map { String($0.suffix(while: { $0 != "/" })) },
            name: name(of: origin.number), unit: unit(of: process), sandbox: sandbox(of: process))
        program.title = program.desktopEntry.flatMap { title(ofDesktopEntry: $0) }
        return program
    }
}

/// The program that a process runs, and where that belongs. What it says is of the moment at which it was asked for: whoever keeps it
/// is not taken in by a process that gets the number later.
public struct Program: Sendable, Equatable {
    /// More ancestors are not looked at.
    public static let deepest = 32

    /// The process, and those that it was started by, the nearest first.
    public let lineage: [ProcessID]
    /// The topmost of them that runs the same program.
    public let origin: ProcessID
    /// The name of the file that it runs.
    public let executable: String?
    /// What its user calls it.
    public let name: String?
    /// The desktop's unit that it is part of.
    public let unit: String?
    /// The sandbox that it runs in.
    public let sandbox: AppSandbox?

    /// What the desktop calls the application.
    public fileprivate(set) var title: String?

    /// The name of the desktop file that it was started by, without `.desktop`; `nil` when that is not known.
    public var desktopEntry: String? {
        sandbox?.application ?? unit.flatMap { LinuxProcessTree.desktopEntry(ofUnit: $0) }
    }
    /// The process itself.
    public var process: ProcessID { lineage.first ?? origin }

    /// Describes a program.
    init(
        lineage: [ProcessID], origin: ProcessID, executable: String?, name: String?, unit: String?, sandbox: AppSandbox?
    ) {
        self.lineage = lineage
        self.origin = origin
        self.executable = executable
        self.name = name
        self.unit = unit
        self.sandbox = sandbox
    }

    /// What tells the application apart that the program is part of (N18): the sandbox and its instance; else the desktop's
    /// unit; else the topmost process that runs the same program.
    public var applicationKey: String {
        if let sandbox { return Program.key(of: sandbox) }
        if let unit { return "unit \(unit)" }
        return "process \(origin.number) \(origin.start)"
    }

    /// What tells the application in a sandbox apart.
    public static func key(of sandbox: AppSandbox) -> String {
        "sandbox \(sandbox.application) \(sandbox.instance ?? "")"
    }
}

extension String {
    /// The last characters that are of a kind; all where none is of another.
    func suffix(while isIn: (Character) -> Bool) -> Substring {
        let start = lastIndex { !isIn($0) }.map { index(after: $0) } ?? startIndex
        return self[start...]
    }
}
