import CaptureModel
import Hummingbird
import ProcessHealth

/// `GET /healthz` and `GET /readyz`: whether the process runs, and whether it can do its work.
struct HealthRoutes: Sendable {
    let vitals: Vitals
    /// Whether the start's checks are over: uploads are refused until then.
    let hasStarted: @Sendable () -> Bool
    let now: TimeSource

    func add(to router: Router<GatewayContext>) {
        router.route(.liveness, use: live)
        router.route(.readiness, use: ready)
    }

    /// 200 as long as the process answers: nothing outside is asked, so that an outage restarts nobody.
    func live(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try Envelope.success(Liveness(), context: context, now: now())
    }

    /// 200 when queue and record answer in time and everything was looked at once, else 503 with the state of each.
    func ready(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let readiness = Readiness(
            await vitals.servers(), hasStarted: hasStarted(), areBundlesAway: vitals.areBundlesAway)
        return try Envelope.success(
            readiness, status: readiness.isReady ? .ok : .serviceUnavailable,
            headers: readiness.isReady ? [:] : [.retryAfter: "2"], context: context, now: now())
    }
}
