import Hummingbird
import NIOCore

/// An answer as it is sent.
package struct StandInAnswer: Sendable, Equatable {
    /// The HTTP status.
    package var status: Int
    /// The body; Apple's are text even where they are JSON.
    package var body: String
    /// Seconds for `Retry-After`; left out when `nil`.
    package var retryAfter: Int?

    /// Memberwise.
    package init(_ status: Int, _ body: String = "", retryAfter: Int? = nil) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
    }

    /// The answer as a response of Hummingbird.
    var response: Response {
        var response = Response(
            status: .init(code: status), body: .init(byteBuffer: ByteBuffer(string: body)))
        if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
        return response
    }
}
