import CaptureModel
import Logging
import NIOHTTP1

extension ConnectionGuard {
    /// The guard of a gateway's connections.
    ///
    /// After a refusal twice as much is read as an honest upload may have: a sender who is somewhat over the limits is
    /// done writing then, and reads.
    convenience init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        let bytesMax = BundlePart.allCases.reduce(UploadDoor.overheadBytesMax) { $0 + $1.bytesMax(configuration) }
        let pause = min(Duration.milliseconds(200), configuration.lingerTimeout)
        self.init(linger: Linger(duration: configuration.lingerTimeout, pause: pause, bytesMax: 2 * bytesMax)) {
            let requestID = RequestIdentity.made(dependencies.random)
            dependencies.logger.debug("refused a head that is not HTTP", metadata: ["request_id": "\(requestID)"])
            return .unreadableHead(requestID: requestID, now: dependencies.now())
        }
    }
}

extension ConnectionGuard.Refusal {
    /// The answer to a head that is no valid HTTP or too large: the parser does not tell the two apart for certain.
    static func unreadableHead(requestID: String, now: Timestamp) -> ConnectionGuard.Refusal {
        let error = APIError(.validationError, "the request's head is not valid HTTP or too large")
        let headers: HTTPHeaders = [
            "Content-Type": Envelope.contentType, "Cache-Control": "no-store", "X-Request-Id": requestID,
        ]
        do {
            let body = try Envelope.failureBytes(error, requestID: requestID, now: now)
            return ConnectionGuard.Refusal(status: .badRequest, headers: headers, body: body)
        } catch {
            // Strings always encode; the status alone would still be the right answer.
            return ConnectionGuard.Refusal(status: .badRequest, headers: [:], body: [])
        }
    }
}
