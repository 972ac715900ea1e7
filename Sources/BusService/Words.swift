import BusInterface
import PolicyEngine

/// Parses the words of the D-Bus interface: categories, modes, options, flags. The error for an unknown word lists the
/// known ones.
enum Words {
    static func category(_ word: String?) throws(WireError) -> Category {
        if let category = Category.ofApplications.first(where: { $0.rawValue == word }) { return category }
        if word?.isEmpty == true {
            throw WireError(
                WireErrorName.noCategory,
                "no category was given; known are \(Category.ofApplications.map(\.rawValue).joined(separator: ", "))")
        }
        throw unknown("category", word ?? "", Category.ofApplications.map(\.rawValue))
    }

    static func mode(_ word: String?) throws(WireError) -> Mode {
        if let word, let mode = Mode(rawValue: word) { return mode }
        throw unknown("mode", word ?? "", Mode.allCases.map(\.rawValue))
    }

    static func options(_ words: WireValue?) throws(WireError) -> CategoryOptions {
        var options: CategoryOptions = []
        for word in words?.elements ?? [] {
            guard let option = word.text.flatMap(CategoryOption.init) else {
                throw unknown("option", word.text ?? "", CategoryOption.allCases.map(\.rawValue))
            }
            options.insert(CategoryOptions(option))
        }
        return options
    }

    static func override(_ word: String?) throws(WireError) -> OutputOverride {
        if let word, let override = OutputOverride(rawValue: word) { return override }
        throw unknown("port", word ?? "", OutputOverride.allCases.map(\.rawValue))
    }

    /// Parses the flags of a method. The error for a flag of another method names that method (R11).
    static func flags(
        _ words: WireValue?, known: [String], others: [String], _ method: String
    ) throws(WireError) -> [String] {
        var flags: [String] = []
        for word in words?.elements ?? [] {
            let flag = word.text ?? ""
            if others.contains(flag) { throw WireError(WireErrorName.invalidFlag, "\(flag) is a flag of \(method)") }
            guard known.contains(flag) else { throw unknown("flag", flag, known) }
            flags.append(flag)
        }
        return flags
    }

    static func unknown(_ kind: String, _ word: String, _ known: [String]) -> WireError {
        let list = known.isEmpty ? "nor any other" : "there are: \(known.joined(separator: ", "))"
        return WireError(WireErrorName.unknownValue, "there is no \(kind) '\(short(word))', \(list)")
    }

    static func error(_ mistake: SessionConfiguration.Mistake) -> WireError {
        switch mistake {
        case .option(let option, let category):
            let takers = Category.ofApplications.filter { $0.takes(option) }.map(\.rawValue).joined(separator: ", ")
            return WireError(
                WireErrorName.incompatibleCategory,
                "the option \(option.rawValue) does not go with \(category.rawValue), but with: \(takers)")
        case .modeIsFixed:
            return WireError(
                WireErrorName.modeNotChangeable,
                "the mode can change only while the session is inactive and does not mix with others")
        case .overrideNeedsCall(let category):
            return WireError(
                WireErrorName.incompatibleCategory,
                "the output can be overridden with play-and-record only, not with \(category.rawValue)")
        }
    }

    /// A text from another program, as a message or a name contains it.
    static func short(_ text: String) -> String { printable(text, limit: 64) }
}
