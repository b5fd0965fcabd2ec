package import CaptureModel

/// Why a call to a gateway did not give what was asked for.
package enum GatewayError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The gateway answered, and its answer is no.
    case refused(Refusal)
    /// No answer came: the gateway is away or too slow.
    case unreachable(String)
    /// The answer was a redirect, which is not followed: the address is not the gateway's.
    case elsewhere(status: Int, location: String?)
    /// The time for all attempts is over; the last one ended so.
    case outOfTime(last: String)
    /// The gateway's address is none; see ``GatewayClient/Configuration/isAddress(_:)``.
    case malformedAddress
    /// An answer came that is not what the API describes.
    case malformedAnswer(String)
    /// The caller's credentials could not be made.
    case unsigned
    /// The caller's task was cancelled.
    case cancelled

    /// A no, in the words of the API.
    package struct Refusal: Sendable, Equatable {
        /// HTTP status.
        package var status: Int
        /// The stable upper-case code.
        package var code: String
        /// For people.
        package var message: String
        /// The rejecting check's reason, when the details name one.
        package var reason: Reason?
        /// When to try again, when the gateway says so.
        package var retryAfter: Duration?
        /// The device that the caller's own key is registered as already, when the details name it.
        package var device: DeviceID?
        /// The step of an enrolment that is next, as answers call it, when the details name one.
        package var expectedStep: String?

        /// Memberwise.
        package init(
            status: Int, code: String, message: String, reason: Reason?, retryAfter: Duration?, device: DeviceID? = nil,
            expectedStep: String? = nil
        ) {
            self.status = status
            self.code = code
            self.message = message
            self.reason = reason
            self.retryAfter = retryAfter
            self.device = device
            self.expectedStep = expectedStep
        }

        /// Whether the same request may succeed later.
        ///
        /// 502 and 504 are what a load balancer says while the gateway behind it starts anew.
        package var isTransient: Bool { [408, 429, 502, 503, 504].contains(status) || code == "NOT_SETTLED" }
    }

    /// Whether the gateway has looked at the request and will say no to it again: it is neither away nor full nor at
    /// fault itself.
    package var isFinal: Bool {
        if case .refused(let refusal) = self { !refusal.isTransient && refusal.status < 500 } else { false }
    }

    /// Whether the request may have been done all the same: no answer came, or one of a proxy, or of a gateway that heard
    /// nothing from its own servers.
    var leavesDoubt: Bool {
        switch self {
        case .unreachable: true
        case .refused(let refusal): refusal.status >= 500
        case .elsewhere, .outOfTime, .malformedAddress, .malformedAnswer, .unsigned, .cancelled: false
        }
    }

    /// What happened, without payloads or tokens.
    package var description: String {
        switch self {
        case .refused(let refusal): "refused with \(refusal.status) \(refusal.code): \(refusal.message)"
        case .unreachable(let message): "unreachable: \(message)"
        case .elsewhere(let status, let location):
            "\(status): the gateway is elsewhere" + (location.map { ", at \($0)" } ?? "")
        case .outOfTime(let last): "out of time; last: \(last)"
        case .malformedAddress: "the gateway's address is none"
        case .malformedAnswer(let message): "malformed answer: \(message)"
        case .unsigned: "the request could not be signed"
        case .cancelled: "cancelled"
        }
    }
}
