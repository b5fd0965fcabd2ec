package import CaptureModel
import FoundationEssentials
import NIOHTTP1

/// How a caller proves its right to a request.
package enum Credentials: Sendable, Equatable {
    /// Not at all.
    case anonymous
    /// With a token: a dashboard's, an operator's, or one for evidence.
    case token(String)
    /// With a device's signature over this very request: good for one attempt.
    case device(DeviceID, timestamp: String, signature: [UInt8])

    /// Makes credentials for a body, once per attempt: a device's signature cannot be sent twice.
    package typealias Source = @Sendable (_ body: [UInt8]) throws -> Credentials

    func apply(to headers: inout HTTPHeaders) {
        switch self {
        case .anonymous: break
        case .token(let token): headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token)")
        case .device(let device, let timestamp, let signature):
            headers.replaceOrAdd(name: "X-Device-Id", value: device.description)
            headers.replaceOrAdd(name: "X-Device-Timestamp", value: timestamp)
            headers.replaceOrAdd(name: "X-Device-Signature", value: Data(signature).base64EncodedString())
        }
    }
}
