import BusService
import CPulseCore
import Glibc
import HostSupport

/// Answers `pactl send-message /audio-session status`, and `explain` with a subject, in JSON.
final class MessageHandler {
    private static let path = "/audio-session"
    private let core: OpaquePointer
    private let service: () -> SessionService?
    private var isRegistered = false

    /// - Parameter service: Returns the service whose state is sent; `nil` while there is none.
    init(core: OpaquePointer, service: @escaping () -> SessionService?) {
        self.core = core
        self.service = service
        isRegistered = cpc_handle_messages(
            core, MessageHandler.path, "Lists audio sessions and streams, and explains how a stream is treated",
            { message, parameters, response, data in
                guard let handler = object(data, as: MessageHandler.self), let response else { return -1 }
                guard let answer = handler.answer(text(message) ?? "", text(parameters)) else {
                    return -Int32(PA_ERR_INVALID.rawValue)
                }
                response.pointee = strdup(answer)
                return 0
            }, pointer(to: self))
    }

    deinit { if isRegistered { cpc_handle_messages_no_more(core, MessageHandler.path) } }

    private func answer(_ message: String, _ subject: String?) -> String? {
        switch message {
        case "status": service()?.statusJSON
        case "explain": subject.flatMap { service()?.explanationJSON($0) }
        default: nil
        }
    }
}
