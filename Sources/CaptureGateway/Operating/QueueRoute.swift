import CaptureModel
import CaptureOperations
import CaptureQueue
import Hummingbird
import Observability

/// `GET /api/v1/queue`: how full the queue is and who works it, for holders of tokens ([R-ST-2]).
struct QueueRoute: Sendable {
    let access: AccessControl
    let dependencies: GatewayDependencies

    func handle(_ request: Request, _ context: GatewayContext) async throws -> Response {
        try await access.requireToken(of: request, context)
        let document: QueueDocument
        do throws(QueueError) {
            document =
                if let queue = dependencies.operators?.desk.queue {
                    QueueDocument(try await queue.overview())
                } else {
                    QueueDocument(try await dependencies.queue.load())
                }
        } catch {
            throw APIError.unavailable(error)
        }
        return try Envelope.success(document, context: context, now: dependencies.now())
    }
}
