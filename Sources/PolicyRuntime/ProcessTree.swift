/// The kernel's facts about processes: parents, programs, and the units in which the desktop has put them.

/// The identity of a process, unique even if its number is reused.
public struct ProcessID: Sendable, Hashable {
    /// The process id.
    public let number: UInt32
    /// The start time in clock ticks since boot (field 22 of `/proc/PID/stat`, proc(5)).
    public let start: UInt64

    /// Makes the identity of a process.
    public init(_ number: UInt32, start: UInt64) {
        self.number = number
        self.start = start
    }
}

/// A sandbox and its application.
public struct AppSandbox: Sendable, Hashable {
    /// The application id, e.g. `org.videolan.VLC`.
    public var application: String
    /// The instance, if several run at the same time; `nil` if unknown.
    public var instance: String?
    /// Whether the sandbox's own permissions give access to the sound server's whole interface, recording included.
    public var mayRecord: Bool

    /// Describes a sandbox.
    public init(_ application: String, instance: String? = nil, mayRecord: Bool = false) {
        self.application = application
        self.instance = instance
        self.mayRecord = mayRecord
    }

    /// Whether both are the same instance, as far as known.
    public func isSame(as other: AppSandbox) -> Bool {
        application == other.application && (instance == nil || other.instance == nil || instance == other.instance)
    }
}

/// Where a program runs, as far as the kernel says so. What is unknown has the rights of a sandbox.
public enum Confinement: Sendable, Hashable {
    /// In no sandbox.
    case unconfined
    /// In a sandbox that is known.
    case sandbox(AppSandbox)
    /// The kernel does not say: the process has ended, hides itself, or is in an unknown sandbox.
    case unknown

    /// The sandbox, if it is known.
    public var sandbox: AppSandbox? {
        if case .sandbox(let sandbox) = self { sandbox } else { nil }
    }
}

/// A source of facts about processes.
public protocol ProcessTree {
    /// The parent's process id (0 without one) and ``ProcessID/start``; `nil` if the process has ended.
    func birth(of process: UInt32) -> (parent: UInt32, start: UInt64)?
    /// Whether a process has ended, or is ending: its connections are closed before it is gone.
    func hasEnded(_ process: ProcessID) -> Bool
    func confinement(of process: UInt32) -> Confinement
    /// `nil` if the kernel does not reveal it.
    func executable(of process: UInt32) -> String?
    /// The name by which a process's program was started, for people. Reads the process's own memory: a hostile process
    /// can block the reader for ever.
    func name(of process: UInt32) -> String?
    /// A name that the kernel keeps itself and tells at once; perhaps cut short.
    func shortName(of process: UInt32) -> String?
    /// The unit of an application in which the desktop has started a process, e.g. `app-gnome-firefox-4711.scope`.
    func unit(of process: UInt32) -> String?
    /// The application's name in a desktop file (`entry`, without `.desktop`), in the user's language.
    func title(ofDesktopEntry entry: String) -> String?
}

extension ProcessTree {
    /// By default, a process that is there does not end.
    public func hasEnded(_ process: ProcessID) -> Bool { birth(of: process.number)?.start != process.start }
    /// By default, there are no desktop files.
    public func title(ofDesktopEntry entry: String) -> String? { nil }
    /// By default, unknown.
    public func executable(of process: UInt32) -> String? { nil }
    /// By default, unknown.
    public func name(of process: UInt32) -> String? { nil }
    /// By default, the whole name.
    public func shortName(of process: UInt32) -> String? { name(of: process) }
    /// By default, no process belongs to a unit.
    public func unit(of process: UInt32) -> String? { nil }

    /// The steps from a process up to an ancestor, 0 for the process itself; `nil` beyond 32 steps.
    public func distance(from process: UInt32, up ancestor: UInt32) -> Int? {
        // Process 1 is everybody's ancestor.
        guard ancestor > 1 else { return nil }
        var current = process
        for steps in 0..<Program.deepest {
            if current == ancestor { return steps }
            guard let next = birth(of: current)?.parent, next > 1 else { return nil }
            current = next
        }
        return nil
    }

    /// The program of a process; `nil` if the process has ended.
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
        let file = executable.map { String($0.suffix(while: { $0 != "/" })) }
        var confinement = confinement(of: process)
        // Another process may have got the number meanwhile. A proxy outside of sandboxes speaks for whoever is behind
        // it.
        if self.birth(of: process)?.start != first.start || file == Program.proxy && confinement == .unconfined {
            confinement = .unknown
        }
        let isOutside =
            confinement == .unconfined && (origin == first || self.confinement(of: origin.number) == .unconfined)
        var program = Program(
            lineage: lineage, origin: origin, executable: file,
            name: isOutside ? name(of: origin.number) : shortName(of: origin.number), unit: unit(of: process),
            confinement: confinement)
        program.title = program.desktopEntry.flatMap { title(ofDesktopEntry: $0) }
        return program
    }
}

/// The program of a process at the moment of the query: a later process with the same id is another one.
public struct Program: Sendable, Equatable {
    /// The number of ancestors that are examined at most.
    public static let deepest = 32

    /// Sandboxes reach the bus through this program.
    static let proxy = "xdg-dbus-proxy"

    /// The process and its ancestors, the nearest first.
    public let lineage: [ProcessID]
    /// The topmost ancestor that runs the same program.
    public let origin: ProcessID
    /// The file name of the program.
    public let executable: String?
    /// The program's name for people.
    public let name: String?
    /// The desktop's unit that contains the process.
    public let unit: String?
    /// Where it runs.
    public let confinement: Confinement
    /// The sandbox that it runs in, if it is known.
    public var sandbox: AppSandbox? { confinement.sandbox }

    /// The application's name from its desktop file.
    public fileprivate(set) var title: String?

    /// The name of the desktop file that started the program, without `.desktop`; `nil` if unknown.
    public var desktopEntry: String? {
        sandbox?.application ?? unit.flatMap { UnitName.desktopEntry(of: $0) }
    }
    /// The process itself.
    public var process: ProcessID { lineage.first ?? origin }

    init(
        lineage: [ProcessID], origin: ProcessID, executable: String?, name: String?, unit: String?,
        confinement: Confinement
    ) {
        self.lineage = lineage
        self.origin = origin
        self.executable = executable
        self.name = name
        self.unit = unit
        self.confinement = confinement
    }

    /// The key of its application (N18): the sandbox's instance; else the desktop's unit; else the topmost process with
    /// the same program.
    public var applicationKey: String {
        if let sandbox { return Program.key(of: sandbox) }
        if let unit { return "unit \(unit)" }
        return "process \(origin.number) \(origin.start)"
    }

    /// The key of a sandboxed application.
    public static func key(of sandbox: AppSandbox) -> String {
        "sandbox \(sandbox.application) \(sandbox.instance ?? "")"
    }
}

extension String {
    package func suffix(while isIn: (Character) -> Bool) -> Substring {
        let start = lastIndex { !isIn($0) }.map { index(after: $0) } ?? startIndex
        return self[start...]
    }
}
