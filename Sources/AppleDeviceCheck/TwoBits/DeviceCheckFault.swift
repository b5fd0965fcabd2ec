/// Why a question about a device has no answer: never a sign that the device is good or bad, but for ``token``.
public enum DeviceCheckFault: Error, Sendable, Equatable {
    /// Apple does not take the device's token.
    case token
    /// Apple does not take something else about the request: a fault of ours, whatever the device is.
    case request(String)
    /// Apple does not take the developer's token.
    case unauthorized
    /// Apple has too much to do, and had each time it was asked.
    case overloaded(status: Int)
    /// An answer that is not documented.
    case unexpected(status: Int)
    /// Apple's server was not reached, or could not be asked.
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

    /// What else is known of it, for logs and nobody else: short, and never of the device.
    public var detail: String? {
        switch self {
        case .request(let text), .unreachable(let text): text
        case .overloaded(let status), .unexpected(let status): "status \(status)"
        case .token, .unauthorized: nil
        }
    }

    /// Whether the same question may have an answer in a moment.
    var isTransient: Bool {
        switch self {
        case .overloaded, .unreachable: true
        case .token, .request, .unauthorized, .unexpected: false
        }
    }
}
