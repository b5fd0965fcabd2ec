/// Why a request about a device has no answer; only ``token`` says anything about the device.
///
/// After ``overloaded(status:)`` and ``unreachable(_:)`` the same request may succeed later. A cancelled task gets
/// ``unreachable(_:)``.
public enum DeviceCheckFault: Error, Sendable, Equatable {
    /// Apple does not accept the device's token.
    case token
    /// Apple does not accept another part of the request: a fault of ours, whatever the device is.
    case request(String)
    /// Apple does not accept the developer's token.
    case unauthorized
    /// Apple is overloaded, and was at every try.
    case overloaded(status: Int)
    /// The answer is not documented.
    case unexpected(status: Int)
    /// Apple's server could not be reached, or the request could not be sent.
    case unreachable(String)

    /// A stable code for records and answers.
    public var code: String {
        switch self {
        case .token: "DEVICE_TOKEN_REFUSED"
        case .request: "REQUEST_REFUSED"
        case .unauthorized: "DEVELOPER_KEY_REFUSED"
        case .overloaded: "APPLE_OVERLOADED"
        case .unexpected: "ANSWER_UNEXPECTED"
        case .unreachable: "APPLE_UNREACHABLE"
        }
    }

    /// Further details, for logs only: short, and never about the device.
    public var detail: String? {
        switch self {
        case .request(let text), .unreachable(let text): text
        case .overloaded(let status), .unexpected(let status): "status \(status)"
        case .token, .unauthorized: nil
        }
    }

    /// Whether a retry of the same request may succeed soon.
    var isTransient: Bool {
        switch self {
        case .overloaded, .unreachable: true
        case .token, .request, .unauthorized, .unexpected: false
        }
    }
}
