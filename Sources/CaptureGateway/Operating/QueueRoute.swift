import CaptureModel
import CaptureOperations
import CaptureQueue
import Hummingbird
import Observability

/// `GET /api/v1/queue`: how full the queue is and who works it, for holders of tokens.
struct QueueRoute: Sendable {
    let dependencies: GatewayDependencies
    let access: AccessControl

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await access.requireToken(of: request, context)
        let document = try await askingOperatedQueue { () async throws(QueueError) -> QueueDocument in
            guard let queue = dependencies.operators?.actions.queue else {
                return QueueDocument(try await dependencies.queue.load())
            }
            return QueueDocument(try await queue.overview())
        }
        return try Envelope.success(document, context: context, now: dependencies.now())
    }
}
