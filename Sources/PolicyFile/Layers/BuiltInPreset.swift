public import PolicyEngine

/// The presets that need no file. They are the shipped files of their names, which are part of this code.
enum BuiltInPreset: String, Sendable, CaseIterable {
    case desktop
    case phone

    /// The preset's layers, weakest first: all others change the desktop's.
    var documents: [Document] {
        let desktop = Document(PackageResources.desktop_conf, named: BuiltInPreset.desktop.rawValue)
        switch self {
        case .desktop: return [desktop]
        case .phone: return [desktop, Document(PackageResources.phone_conf, named: rawValue)]
        }
    }

    /// The names of all presets.
    static let names = allCases.map(\.rawValue)

    fileprivate var policy: Policy {
        var diagnosis = Diagnosis(file: rawValue)
        return PolicyBuilder(Sourced(self)).finish(&diagnosis).policy
    }
}

extension Policy {
    /// The policy for a desktop. It is in force where there is no policy file.
    ///
    /// Untagged streams mix. Phone and alarm cork playback and ambient. Accessibility, navigation and voice prompts
    /// duck by 20 dB, dictation by 30 dB. Notifications are sounds of the interface. Recordings are left alone.
    public static let desktop = BuiltInPreset.desktop.policy

    /// The phone's behaviour: untagged streams are solo-ambient, playback does not mix, an
    /// untagged recording is a record session.
    public static let phone = BuiltInPreset.phone.policy
}
