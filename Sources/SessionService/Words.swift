import SessionCore
import SessionWire

/// The words of the interface, read. What is not known is answered with what is.
enum Words {
    /// The categories of applications; sounds of the interface are not for sessions (R13).
    private static let categories: [Category] = Category.allCases.filter { $0 != .uiSound }

    static func category(_ word: String?) throws(WireError) -> Category {
        if let word, let category = Category(rawValue: word), category != .uiSound { return category }
        throw unknown("category", word ?? "", categories.map(\.rawValue))
    }

    static func mode(_ word: String?) throws(WireError) -> Mode {
        if let word, let mode = Mode(rawValue: word) { return mode }
        throw unknown("mode", word ?? "", Mode.allCases.map(\.rawValue))
    }

    static func options(_ words: WireValue?) throws(WireError) -> CategoryOptions {
        var options: CategoryOptions = []
        for word in words?.elements ?? [] {
            guard let option = CategoryOptions.named.first(where: { $0.name == word.text })?.option else {
                throw unknown("option", word.text ?? "", CategoryOptions.named.map(\.name))
            }
            options.insert(option)
        }
        return options
    }

    static func override(_ word: String?) throws(WireError) -> SessionConfiguration.OutputOverride {
        if let word, let override = SessionConfiguration.OutputOverride(rawValue: word) { return override }
        throw unknown("port", word ?? "", SessionConfiguration.OutputOverride.allCases.map(\.rawValue))
    }

    /// The flags of a method; one that another method takes is named as such (R11).
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
        return WireError(WireErrorName.unknownValue, "there is no \(kind) '\(printable(word))', \(list)")
    }

    static func error(_ mistake: SessionConfiguration.Mistake) -> WireError {
        switch mistake {
        case .option(let option, let category):
            let name = CategoryOptions.named.first { $0.option == option }?.name ?? ""
            let takers = categories.filter { $0.takes(option) }.map(\.rawValue).joined(separator: ", ")
            return WireError(
                WireErrorName.incompatibleCategory,
                "the option \(name) does not go with \(category.rawValue), but with: \(takers)")
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

    /// A text of somebody else, fit for a message: short, without control characters.
    static func printable(_ text: String, limit: Int = 64) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            result.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7f ? "?" : scalar)
        }
        return result
    }
}
