import CPulseCore
import Glibc
import SessionHost
import SessionService

/// Answers `pactl send-message /audio-session status`, and `explain` with a subject, in JSON.
final class MessageHandler {
    private static let path = "/audio-session"
    private unowned let host: PulseAudioHost
    private var isRegistered = false

    init(host: PulseAudioHost) {
        self.host = host
        isRegistered = cpc_handle_messages(
            host.core, MessageHandler.path, "What audio sessions there are, and why streams are treated as they are",
            { message, parameters, response, data in
                guard let handler = object(data, as: MessageHandler.self), let response else { return -1 }
                guard let answer = handler.answer(text(message) ?? "", text(parameters)) else {
                    return -Int32(PA_ERR_INVALID.rawValue)
                }
                response.pointee = strdup(answer)
                return 0
            }, pointer(to: self))
    }

    deinit { if isRegistered { cpc_handle_messages_no_more(host.core, MessageHandler.path) } }

    private func answer(_ message: String, _ subject: String?) -> String? {
        switch message {
        case "status": host.service?.statusJSON
        case "explain": subject.flatMap { host.service?.explanationJSON($0) }
        default: nil
        }
    }
}
