import CaptureModel
import Hummingbird
import Observability

/// The four steps of an enrolment over HTTP.
struct EnrolmentRoutes: Sendable {
    let dependencies: GatewayDependencies
    private let bodies: RequestBodies
    private let rate: RequestRate
    /// `nil` when this gateway takes no enrolments.
    private let enroller: Enroller?

    init(
        configuration: GatewayConfiguration, dependencies: GatewayDependencies, registrar: Registrar,
        bodies: RequestBodies
    ) {
        self.dependencies = dependencies
        self.bodies = bodies
        rate = RequestRate(rates: configuration.rates, dependencies: dependencies)
        enroller = dependencies.enrolment.map { enrolment in
            Enroller(
                enrolment: enrolment, configuration: configuration, dependencies: dependencies, registrar: registrar)
        }
    }

    func add(to router: Router<GatewayContext>) {
        router.route(.startEnrolment, use: start)
        router.route(.attestEnrolment, use: attest)
        router.route(.setEnrolmentPassword, use: setPassword)
        router.route(.finalizeEnrolment, use: finalize)
    }

    /// `POST /vault/enroll/start`: an invitation becomes a session.
    func start(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let session = try await step(.start, EnrolmentStartForm.self, request, context) {
            form, enroller throws(APIError) in
            let (code, device) = try form.checked()
            return try await enroller.start(code, for: device)
        }
        return try Envelope.success(
            EnrolmentStartAnswer(session), status: .created, context: context, now: dependencies.now())
    }

    /// `POST /vault/enroll/attestation/ios`: the session's device is registered by its attestation.
    func attest(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let session = try await step(.attestation, EnrolmentAttestationForm.self, request, context) {
            form, enroller throws(APIError) in
            try await enroller.attest(form.checked(), context.logger)
        }
        let answer = EnrolmentAttestationAnswer(session, level: .secureEnclave)
        return try Envelope.success(answer, context: context, now: dependencies.now())
    }

    /// `POST /vault/enroll/set-password`: the sealed password hash is opened and kept.
    func setPassword(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let session = try await step(.password, EnrolmentPasswordForm.self, request, context) {
            form, enroller throws(APIError) in try await enroller.setPassword(form.checked())
        }
        return try Envelope.success(EnrolmentPasswordAnswer(session), context: context, now: dependencies.now())
    }

    /// `POST /vault/enroll/finalize`: a credential and a token, the same however often they are asked for.
    func finalize(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let (session, secrets) = try await step(.finalize, EnrolmentFinalizeForm.self, request, context) {
            form, enroller throws(APIError) in
            let (session, key) = try form.checked()
            return try await enroller.finalize(session, choosing: key)
        }
        return try Envelope.success(
            EnrolmentFinalizeAnswer(session, secrets), headers: [.cacheControl: "no-store"], context: context,
            now: dependencies.now())
    }

    /// Counts a step and what became of it, around what all of them begin with.
    private func step<Form: Decodable, Value>(
        _ step: EnrolmentStep, _ form: Form.Type, _ request: Request, _ context: GatewayContext,
        _ body: (Form, Enroller) async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        do throws(APIError) {
            guard let enroller else {
                throw APIError(.notFound, "this gateway takes no enrolments: enrolment.keyFile is not set")
            }
            try await rate.admit(.enrolment(step), of: context.clientAddress)
            let form = try await bodies.json(form, request, context)
            let value = try await body(form, enroller)
            CaptureMetrics.enrolment(step, .done)
            return value
        } catch {
            CaptureMetrics.enrolment(step, error.code.status.code < 500 ? .refused : .error)
            throw error
        }
    }
}
