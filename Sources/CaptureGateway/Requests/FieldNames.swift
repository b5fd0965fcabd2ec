import HTTPTypes

extension HTTPField.Name {
    /// Parsed once: these are well-formed names.
    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is not a field name") }
        return name
    }

    // MARK: Requests

    /// `X-Request-Id`, of answers as well.
    static let requestID = name("X-Request-Id")
    /// `X-Forwarded-For`.
    static let forwardedFor = name("X-Forwarded-For")
    /// `X-Device-Id`.
    static let deviceID = name("X-Device-Id")
    /// `X-Device-Timestamp`.
    static let deviceTimestamp = name("X-Device-Timestamp")
    /// `X-Device-Signature`.
    static let deviceSignature = name("X-Device-Signature")
    /// `Last-Event-ID`.
    static let lastEventID = name("Last-Event-ID")

    // MARK: Answers

    /// `X-Accel-Buffering`: whether a proxy collects an answer before it passes it on.
    static let accelBuffering = name("X-Accel-Buffering")
    /// `Refresh`: after how many seconds a browser asks for the page again.
    static let refresh = name("Refresh")
    /// `Referrer-Policy`.
    static let referrerPolicy = name("Referrer-Policy")
    /// `X-Frame-Options`.
    static let frameOptions = name("X-Frame-Options")
    /// `Cross-Origin-Opener-Policy`.
    static let openerPolicy = name("Cross-Origin-Opener-Policy")
    /// `Cross-Origin-Resource-Policy`.
    static let resourcePolicy = name("Cross-Origin-Resource-Policy")
}
