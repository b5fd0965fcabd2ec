import CaptureModel

/// What one client, or one device, may do only so often; each is counted by itself.
enum RateSubject: Sendable, Hashable {
    /// Asking for a challenge.
    case challenge
    /// A step of an enrolment.
    case enrolment(EnrolmentStep)
    /// Presenting a token that is not known.
    case token
    /// Logging in at the dashboard.
    case login
    /// Signing a request with a plain Ed25519 key, each of which is remembered; the client is the device's id.
    case signedRequest

    /// The key that a client is counted by; it must stay the same: gateways of another release may run beside.
    func key(of client: String) -> String {
        switch self {
        case .challenge: "challenge:\(client)"
        case .enrolment(let step): "enrolment-\(step.rawValue):\(client)"
        case .token: "token:\(client)"
        case .login: "login:\(client)"
        case .signedRequest: "request:\(client)"
        }
    }

    /// How often within ``GatewayConfiguration/Rates/window``.
    func limit(_ rates: GatewayConfiguration.Rates) -> Int {
        switch self {
        case .challenge, .enrolment: rates.challengeLimit
        case .token, .login: rates.loginLimit
        case .signedRequest: rates.requestLimit
        }
    }

    /// What the client is told who has done it too often.
    var refusal: String {
        switch self {
        case .challenge: "too many challenges for this address"
        case .enrolment: "too many enrolments for this address"
        case .token: "too many unknown tokens from this address"
        case .login: "too many logins: try again in a minute"
        case .signedRequest: "too many signed requests of this device"
        }
    }
}
