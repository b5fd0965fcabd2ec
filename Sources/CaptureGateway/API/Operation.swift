import HTTPTypes
import Hummingbird

/// Every operation of the HTTP API, for the router, the OpenAPI description and the metrics.
enum Operation: String, CaseIterable, Sendable, GatewayRoute {
    case issueChallenge
    case registerDevice
    case registerCheckedDevice
    case reattestDevice
    case startEnrolment
    case attestEnrolment
    case setEnrolmentPassword
    case finalizeEnrolment
    case listDevices
    case showDevice
    case revokeDevice
    case affectedResults
    case uploadCapture
    case captureStatus
    case captureProvenance
    case captureEvidence
    case captureStatuses
    case captureEvents
    case listCaptures
    case searchIDs
    case events
    case queueLoad
    case rollout
    case listAudit
    case liveness
    case readiness
    case metrics
    case description

    /// Path template; the same for the router, OpenAPI and the metrics.
    var template: StaticString {
        switch self {
        case .issueChallenge: "/api/v1/devices/challenge"
        case .registerDevice: "/api/v1/devices/register"
        case .registerCheckedDevice: "/api/v1/devices/devicecheck"
        case .reattestDevice: "/api/v1/devices/{id}/attestation"
        case .startEnrolment: "/vault/enroll/start"
        case .attestEnrolment: "/vault/enroll/attestation/ios"
        case .setEnrolmentPassword: "/vault/enroll/set-password"
        case .finalizeEnrolment: "/vault/enroll/finalize"
        case .listDevices: "/api/v1/devices"
        case .showDevice: "/api/v1/devices/{id}"
        case .revokeDevice: "/api/v1/devices/{id}/revoke"
        case .affectedResults: "/api/v1/devices/{id}/affected"
        case .uploadCapture: "/api/v1/captures"
        case .captureStatus: "/api/v1/captures/{id}"
        case .captureProvenance: "/api/v1/captures/{id}/provenance"
        case .captureEvidence: "/api/v1/captures/{id}/evidence"
        case .captureStatuses: "/api/v1/captures/status"
        case .captureEvents: "/api/v1/captures/{id}/events"
        case .listCaptures: "/api/v1/captures"
        case .searchIDs: "/api/v1/search"
        case .events: "/api/v1/events"
        case .queueLoad: "/api/v1/queue"
        case .rollout: "/api/v1/rollout"
        case .listAudit: "/api/v1/audit"
        case .liveness: "/healthz"
        case .readiness: "/readyz"
        case .metrics: "/metrics"
        case .description: "/openapi.json"
        }
    }

    /// The template as text.
    var path: String { template.description }

    /// HTTP method.
    var method: HTTPRequest.Method {
        switch self {
        case .registerDevice, .registerCheckedDevice, .reattestDevice, .startEnrolment, .attestEnrolment,
            .setEnrolmentPassword, .finalizeEnrolment, .revokeDevice, .uploadCapture, .captureStatuses:
            .post
        case .issueChallenge, .listDevices, .showDevice, .affectedResults, .captureStatus, .captureProvenance,
            .captureEvidence, .captureEvents, .listCaptures, .searchIDs, .events, .queueLoad, .rollout, .listAudit,
            .liveness, .readiness, .metrics, .description:
            .get
        }
    }
}

extension Router<GatewayContext> {
    /// Adds the handler of an operation, which is asked when the query is one that the operation takes: the only way
    /// in which routes are added.
    func route(
        _ operation: Operation,
        use handler: @escaping @Sendable (Request, GatewayContext) async throws(APIError) -> Response
    ) {
        let known = operation.queryParameters
        on(RouterPath(operation.path), method: operation.method) { request, context -> Response in
            if let known { try FormFields(request.uri.query ?? "").requireOnly(known) }
            return try await handler(request, context)
        }
    }
}
