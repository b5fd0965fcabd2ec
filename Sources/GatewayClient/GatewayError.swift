package import CaptureModel

/// Why a call to a gateway did not give what was asked for.
package enum GatewayError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The gateway answered with a refusal.
    case refused(Refusal)
    /// No answer came: the gateway is away or too slow.
    case unreachable(String)
    /// The certificate is not trusted here, or the port does not speak TLS. Nothing was sent.
    case untrusted(String)
    /// The answer was a redirect, which is not followed: the address is not the gateway's.
    case elsewhere(status: Int, location: String?)
    /// The time for all attempts is over; `last` tells how the last one failed.
    case outOfTime(last: String)
    /// The configured address is not one that a client can speak to; see ``GatewayClient/Configuration/isAddress(_:)``.
    case malformedAddress
    /// An answer came that is not what the API describes.
    case malformedAnswer(String)
    /// The request cannot be written as JSON. Nothing was sent.
    case unwritable
    /// The caller's credentials could not be made, in the words of the error. Nothing was sent.
    case unsigned(String)
    /// The caller's task was cancelled.
    case cancelled

    /// A refusal, in the words of the API.
    package struct Refusal: Sendable, Equatable {
        /// HTTP status.
        package let status: Int
        /// The stable upper-case code.
        package let code: String
        /// For people.
        package let message: String
        /// The part or parameter of the request that is at fault, when the details name one.
        package let field: String?
        /// The stable code of the check that failed, when the details name one.
        package let reasonCode: String?
        /// How long to wait before another attempt, if the gateway says so.
        package let retryAfter: Duration?
        /// The device that the caller's own key is registered as already, when the details name it.
        package let device: DeviceID?
        /// The step of an enrolment that is next, as answers call it, when the details name one.
        package let expectedStep: String?

        /// Memberwise.
        package init(
            status: Int, code: String, message: String, field: String? = nil, reasonCode: String?,
            retryAfter: Duration?, device: DeviceID? = nil, expectedStep: String? = nil
        ) {
            self.status = status
            self.code = code
            self.message = message
            self.field = field
            self.reasonCode = reasonCode
            self.retryAfter = retryAfter
            self.device = device
            self.expectedStep = expectedStep
        }

        /// The reason that the failed check gives captures as well, if it is one of theirs.
        package var reason: Reason? { reasonCode.flatMap(Reason.init(rawValue:)) }

        /// What it is, and of the details what says where to look.
        var description: String {
            let reason = reasonCode == code ? nil : reasonCode
            let details = [field.map { "field \($0)" }, reason.map { "reason \($0)" }].compactMap(\.self)
            let place = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
            return "refused with \(status) \(code): \(message)\(place)"
        }

        /// Whether the same request may succeed later.
        ///
        /// Load balancers answer 502 and 504 while the gateway behind them restarts.
        package var isTransient: Bool { [408, 429, 502, 503, 504].contains(status) || code == "NOT_SETTLED" }
    }

    /// Whether the gateway refused the request itself and would refuse it again.
    ///
    /// It is neither away, nor full, nor faulty itself.
    package var isFinal: Bool {
        if case .refused(let refusal) = self { !refusal.isTransient && refusal.status < 500 } else { false }
    }

    /// Whether the request may have been carried out although the call failed.
    ///
    /// So without an answer, and with 5xx: that may be a proxy's, or a gateway's whose own servers did not answer.
    var leavesDoubt: Bool {
        switch self {
        case .unreachable: true
        case .refused(let refusal): refusal.status >= 500
        case .untrusted, .elsewhere, .outOfTime, .malformedAddress, .malformedAnswer, .unwritable, .unsigned,
            .cancelled:
            false
        }
    }

    /// What happened, without payloads or tokens.
    package var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .unreachable(let message): "unreachable: \(message)"
        case .untrusted(let message): "\(message): is this the gateway's address, and its certificate trusted here?"
        case .elsewhere(let status, let location):
            "\(status): the gateway is elsewhere" + (location.map { ", at \($0)" } ?? "")
        case .outOfTime(let last): "out of time; last: \(last)"
        case .malformedAddress:
            "the gateway's address is not one of the forms \(GatewayClient.Configuration.addressForms)"
        case .malformedAnswer(let message): "malformed answer: \(message)"
        case .unwritable: "the request cannot be written as JSON"
        case .unsigned(let message): "the request could not be signed: \(message)"
        case .cancelled: "cancelled"
        }
    }
}
