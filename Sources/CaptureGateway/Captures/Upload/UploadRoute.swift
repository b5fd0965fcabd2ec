import CaptureModel
import CaptureQueue
import HTTPTypes
import Hummingbird
import IntakeJournal
import Logging
import Observability

/// `POST /api/v1/captures`: takes a capture for good, or says why not.
struct UploadRoute: Sendable {
    private let limits: GatewayConfiguration.Uploads
    private let now: TimeSource
    private let head: UploadHead
    private let budget: BodyBudget
    private let precheck: Precheck
    private let acceptance: Acceptance

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies, journal: IntakeJournal?) {
        let (limits, trust) = (configuration.uploads, configuration.trust)
        self.limits = limits
        self.now = dependencies.now
        self.head = UploadHead(bytesMax: limits.bytesMax, trust: trust, dependencies: dependencies)
        self.budget = BodyBudget(bytesMax: limits.bytesInFlightMax, bodyBytesMax: limits.bytesMax)
        self.precheck = Precheck(level: limits.precheck, appIDs: trust.appIDs)
        self.acceptance = Acceptance(limits: configuration.intake, dependencies: dependencies, journal: journal)
    }

    /// Answers an upload with 202 and the capture's id.
    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let accepted: Acceptance.Accepted
        do throws(APIError) {
            accepted = try await take(request, context)
        } catch {
            CaptureMetrics.upload(.init(error.code))
            throw error
        }
        var headers = HTTPFields()
        headers[.location] = "/api/v1/captures/\(accepted.id)"
        headers[.retryAfter] = "1"
        return try Envelope.success(
            Answer(accepted), status: .accepted, headers: headers, context: context, now: now()
        )
    }

    private func take(
        _ request: Request, _ context: GatewayContext
    ) async throws(APIError) -> Acceptance.Accepted {
        let checked = try await head.check(request)
        let client = context.clientAddress
        guard let reservation = budget.reserve(checked.contentLength ?? 0, for: client) else { throw .uploadsFull }
        context.askForBody()
        let body = TimedBody(
            idleTimeout: limits.idleTimeout, timeout: limits.timeout,
            room: room(checked.contentLength, for: client))
        let bundle = try await body.read(request.body) { [limits] in
            BundleReader(boundary: checked.boundary, limits: limits, reservation: reservation)
        }
        var logger = context.logger
        logger[metadataKey: "device_id"] = "\(checked.device.id)"
        try await precheck.check(bundle, of: checked.device)
        let accepted = try await acceptance.accept(
            bundle, of: checked.device.id, traceParent: JobTrace.current, logger: logger
        ) { [precheck] in
            await precheck.isSigned(bundle, by: checked.device)
        }
        // The bytes are in memory until here.
        withExtendedLifetime(reservation) {}
        CaptureMetrics.upload(accepted.isDuplicate ? .duplicate : .accepted, bytes: bundle.media.bytes)
        logger.info(
            accepted.isDuplicate ? "capture was accepted before" : "capture accepted",
            metadata: ["capture_id": "\(accepted.id)", "bytes": "\(bundle.media.bytes)"]
        )
        return accepted
    }

    /// The memory that an upload may take: its announced length, or else that of the largest upload.
    private func room(_ contentLength: Int?, for client: String) -> TimedBody.Room {
        .init(bytes: contentLength ?? limits.bytesMax) { [budget, limits] in
            budget.wasShort(for: client, within: limits.idleTimeout * 2)
        }
    }

    /// What an upload is answered.
    struct Answer: Encodable, Sendable {
        let captureID: CaptureID
        let status: CaptureState
        let duplicate: Bool

        init(_ accepted: Acceptance.Accepted) {
            captureID = accepted.id
            status = accepted.state
            duplicate = accepted.isDuplicate
        }

        enum CodingKeys: String, CodingKey {
            case captureID = "capture_id"
            case status, duplicate
        }
    }
}
