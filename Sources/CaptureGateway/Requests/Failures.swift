import CaptureModel
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Observability

/// Turns whatever is thrown into the failure envelope, or at an address of the dashboard into a page, and logs what is
/// the system's fault; nothing internal leaks.
struct Failures: RouterMiddleware {
    typealias Context = GatewayContext

    let now: TimeSource
    let outages: Outages
    /// Whether there is a dashboard.
    let hasPages: Bool
    private let refused: RefusedRequests

    init(now: @escaping TimeSource, outages: Outages, hasPages: Bool, refusedLinesMax: Int) {
        self.now = now
        self.outages = outages
        self.hasPages = hasPages
        refused = RefusedRequests(linesMax: refusedLinesMax)
    }

    @concurrent func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        do {
            let response = try await next(request, context)
            if let operation = Operation.of(request, context) { outages.served(operation) }
            return response
        } catch {
            let isPage = hasPages && Page.isAddress(request.uri.path)
            let (failure, headers) = Self.failure(error, request: request, isPage: isPage)
            if failure.cause == nil {
                let device = request.headers[.deviceID].flatMap { DeviceID($0) }
                refused.note(failure, of: Operation.of(request, context), device: device, context.logger)
            } else {
                outages.log(failure, context.logger)
            }
            if isPage {
                return PageAnswer.failure(failure, headers: headers, of: request, requestID: context.requestID)
            }
            return try Envelope.failure(failure, headers: headers, context: context, now: now())
        }
    }

    private static func failure(_ error: any Error, request: Request, isPage: Bool) -> (APIError, HTTPFields) {
        switch error {
        case let error as APIError:
            return (error, [:])
        case is NIOTooManyBytesError:
            return (APIError(.payloadTooLarge, "the body is too large"), [:])
        case let error as any HTTPResponseError where error.status == .notFound:
            return unrouted(request, isPage: isPage)
        case let error as any HTTPResponseError where error.status == .contentTooLarge:
            return (APIError(.payloadTooLarge, "the body is too large"), [:])
        case let error as any HTTPResponseError where error.status.kind == .clientError:
            return (APIError(.validationError, "the request is malformed"), [:])
        default:
            // Only the type: a description may repeat the request's content.
            let cause = APIError.Cause.fault("\(type(of: error))")
            return (APIError(.internalError, "the request could not be completed", cause: cause), [:])
        }
    }

    /// 405 with `Allow` (RFC 9110 section 15.5.6) where the path exists for another method.
    private static func unrouted(_ request: Request, isPage: Bool) -> (APIError, HTTPFields) {
        let path = request.uri.path
        let methods = isPage ? Page.methods(at: path) : Operation.methods(at: path)
        guard !methods.isEmpty, !methods.contains(request.method) else {
            return (.unknownAddress(isPage: isPage), [:])
        }
        let allowed = methods.map(\.rawValue).joined(separator: ", ")
        return (APIError(.methodNotAllowed, "this \(isPage ? "address" : "route") takes \(allowed)"), [.allow: allowed])
    }
}

extension Outages {
    /// Logs what is behind a failure: an outage, a lock or a lost result once, whoever meets it, and a fault of the
    /// system each time.
    func log(_ failure: APIError, _ logger: Logger) {
        switch failure.cause {
        case nil: return
        case .fault(let what): logger.error("a request failed", metadata: ["cause": .string(what)])
        case .resultLost(let capture): lostResults.note(capture, logger)
        case .server(_, let what) where failure.code == .internalError,
            .refusal(_, let what) where failure.code == .internalError:
            logger.error("a request failed", metadata: ["cause": .string(what)])
        case .server, .refusal: note(failure)
        case .busy(let what):
            putOff.begin(["cause": "\(what)"])
            logger.debug("put off", metadata: ["cause": .string(what)])
        }
    }
}
