import PolicyFile

/// Everything that `audio-session doctor` judges by, as plain values.
struct Evidence {
    /// The distribution and its release; empty if it is not known.
    var system = ""
    /// What the environment of the command says.
    var surroundings = Surroundings()
    /// Why the bus cannot be reached; `nil` if it can.
    var busError: String?
    /// The process that owns the service's name; `nil` if there is none.
    var owner: Int32?
    /// What the service says; `nil` if there is none or it does not answer.
    var state: ServiceState?
    /// When that was, in microseconds since 1970.
    var moment: Int64 = 0
    /// Why the service does not answer; `nil` if it does, or if there is none.
    var stateError: String?
    /// What the service says of each of its streams.
    var explanations: [String] = []
    /// The sound servers and session managers that this user runs.
    var processes: [ServerProcess] = []
    /// The files of the module, where servers look for them.
    var modules: [ModuleFile] = []
    /// The folders in which the module was looked for.
    var folders: [Sound: [String]] = [:]
    /// The files of the servers' configuration that load the module.
    var loaders: [Sound: [String]] = [:]
    /// Where the policy of this user comes from, as far as its files say.
    var policyOrigin = ""
    /// What is wrong in these files.
    var mistakes: [Diagnostic] = []
    /// What programs and other files say about the servers.
    var programsSay = ProgramsSay()
    /// Files that tell of a start that its server did not survive.
    var leftovers: [String] = []
    /// The last lines about the module in the user's journal; `nil` if the journal cannot be read.
    var log: [String]?

    /// The two sound servers.
    enum Sound: String, CaseIterable {
        case pipeWire = "PipeWire"
        case pulseAudio = "PulseAudio"

        /// The name of its daemon.
        var daemon: String { rawValue.lowercased() }
        /// The file name of its module.
        var module: String { self == .pipeWire ? "libpipewire-module-audio-session" : "module-audio-session" }
    }

    struct Surroundings {
        /// XDG_RUNTIME_DIR; `nil` if it is not set.
        var runtimeFolder: String?
        /// The folder that is assumed then.
        var usualFolder = "/run/user/0"
        /// Whether the folder exists and belongs to the user.
        var hasRuntimeFolder = true
        /// DBUS_SESSION_BUS_ADDRESS; `nil` if it is not set.
        var busAddress: String?
        /// Whether the command runs as root in place of the user who has called it.
        var isBySudo = false
    }

    /// A process of a sound server or session manager.
    struct ServerProcess {
        var number: Int32
        /// Its program, such as `pipewire`.
        var name: String
        /// Its XDG_RUNTIME_DIR and DBUS_SESSION_BUS_ADDRESS; `nil` if not set or not known.
        var runtimeFolder: String?
        var busAddress: String?
        /// The module's file in its memory; `nil` if it has none.
        var module: LoadedFile?
        /// Whether its memory could be looked at.
        var isReadable = true
        /// Whether it serves the session in which the command runs.
        var isOfThisSession = true
    }

    /// A file in a process's memory.
    struct LoadedFile: Equatable {
        var path: String
        /// The file's number in its file system.
        var number: UInt64
        /// Whether the file has been removed since, or replaced.
        var isDeleted: Bool
    }

    struct ModuleFile {
        var sound: Sound
        var path: String
        /// The file's number in its file system.
        var number: UInt64
    }

    /// An output that is muted.
    struct MutedOutput: Equatable {
        /// Its name for people, and for programs.
        var title: String
        var name: String
    }

    /// What other programs print about the servers; `nil` for a program that is not there or was not asked.
    struct ProgramsSay {
        /// The programs that would have been asked and are not there.
        var missing: [String] = []
        /// The releases that they tell, such as `WirePlumber 0.4.13`.
        var releases: [String] = []
        /// Nodes of another role policy in PipeWire.
        var hasRoleNodes = false
        /// Files of WirePlumber's configuration that speak of its role policy.
        var roleFiles: [String] = []
        /// Modules of PulseAudio that stop or lower streams by their roles.
        var roleModules: [String] = []
        /// The outputs that are muted, of those that are the default or play something.
        var mutedOutputs: [MutedOutput] = []
        /// WirePlumber's setting `linking.pause-playback`; `nil` if there is none.
        var pausesPlayback: Bool?
    }

    /// The sound server of this session: the one that serves the name, or else the one that runs.
    var sound: Sound? {
        let own = processes.filter(\.isOfThisSession)
        let serving = own.first { $0.number == owner }
        if let name = serving?.name { return Sound.allCases.first { $0.daemon == name } }
        // Where both run, PipeWire has only cameras and screens.
        return [Sound.pulseAudio, .pipeWire].first { sound in own.contains { $0.name == sound.daemon } }
    }
}
