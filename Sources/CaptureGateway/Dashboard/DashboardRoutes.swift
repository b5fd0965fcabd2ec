import CaptureInspection
import CaptureModel
import CaptureQueue
import CaptureStore
import HTTPTypes
import Hummingbird
import NIOCore
import ProcessHealth

/// The dashboard: pages for people, who log in with a token.
///
/// Whatever a page shows is read when it is asked for, bounded and by index; a page that changes something is a form of
/// the session's own.
struct DashboardRoutes: Sendable {
    let rates: GatewayConfiguration.Rates
    let dependencies: GatewayDependencies
    let operators: OperatorDependencies
    let sessions: Sessions
    let vitals: Vitals
    private let bodies: RequestBodies
    private let metadataLimits: MetadataLimits
    private let pictureGate: PictureGate

    init(
        configuration: GatewayConfiguration, dependencies: GatewayDependencies, operators: OperatorDependencies,
        bodies: RequestBodies, vitals: Vitals
    ) {
        rates = configuration.rates
        self.dependencies = dependencies
        self.operators = operators
        self.bodies = bodies
        sessions = Sessions(
            store: operators.sessions, access: configuration.access, now: dependencies.now, random: dependencies.random)
        self.vitals = vitals
        metadataLimits = configuration.uploads.inspection.metadata
        pictureGate = PictureGate(placesMax: configuration.reading.picturesMax)
    }

    var listing: CaptureListing {
        CaptureListing(archive: operators.archive, queue: dependencies.queue, store: dependencies.store)
    }
    var pictures: Pictures {
        Pictures(
            ledger: dependencies.intake, bundles: dependencies.bundles, limits: metadataLimits,
            gate: pictureGate, outages: dependencies.outages)
    }

    /// Adds all pages to a router.
    func add(to router: Router<GatewayContext>) {
        open(.login, router) { request, _ in try await login(request) }
        open(.logIn, router, use: logIn)
        open(.asset, router) { request, context in try Assets.answer(request, context) }
        page(.overview, router) { _, shell, context in try await overview(shell, context) }
        page(.captures, router) { request, shell, _ in try await captures(request, shell) }
        page(.capture, router) { _, shell, context in try await capture(context, shell) }
        page(.photo, router, needsOperator: true) { _, shell, context in try await photo(context, shell.user) }
        page(.depth, router) { _, _, context in try await depth(context) }
        page(.evidence, router, needsOperator: true) { _, shell, context in
            try await evidence(context, shell.user)
        }
        page(.rejections, router) { _, shell, _ in try await rejections(shell) }
        page(.replays, router) { request, shell, _ in try await replays(request, shell) }
        page(.devices, router) { request, shell, _ in try await devices(request, shell) }
        page(.device, router) { request, shell, context in try await device(request, context, shell) }
        page(.dead, router) { request, shell, _ in try await dead(request, shell) }
        page(.audit, router) { request, shell, _ in try await audit(request, shell) }
        form(.logOut, router) { request, _, _, _ in
            try await sessions.logOut(request)
            var answer = PageAnswer.redirect(to: Page.login.address)
            answer.headers[.setCookie] = SessionCookie.removal(for: request.head.authority)
            return answer
        }
        form(.actOnQueue, router, needsOperator: true) { _, form, user, _ in try await actOnQueue(form, user) }
        form(.actOnDead, router, needsOperator: true) { _, form, user, context in
            try await actOnDead(form, user, context)
        }
        form(.revoke, router, needsOperator: true) { _, form, user, context in
            try await revoke(form, user, context)
        }
    }

    /// A route that needs no session; ``Failures`` makes a page of what it throws.
    private func open(
        _ page: Page, _ router: Router<GatewayContext>,
        use handler: @escaping @Sendable (Request, GatewayContext) async throws -> Response
    ) {
        router.on(RouterPath(page.template.description), method: page.method, use: handler)
    }

    /// A route for those who have logged in, or for operators among them; the others are led to the login, and back.
    private func page(
        _ page: Page, _ router: Router<GatewayContext>, needsOperator: Bool = false,
        use handler: @escaping @Sendable (Request, Shell, GatewayContext) async throws -> Response
    ) {
        open(page, router) { request, context in
            guard let user = try await sessions.user(of: request) else {
                let asked = page == .overview ? nil : Destination(request.uri.string)
                return PageAnswer.redirect(to: LoginPage.address(to: asked))
            }
            guard user.isOperator || !needsOperator else {
                throw APIError(.forbidden, "only operators may see this: a read-only token may not")
            }
            // The overview has its own look at the queue, and pictures and files show none.
            let isPlain = [.overview, .photo, .depth, .evidence].contains(page)
            var shell =
                isPlain
                ? Shell(user: user, now: dependencies.now()) : await queueShell(of: user, on: page, context)
            shell.notice = Notice(FormFields(request.uri.query ?? ""), of: user)?.text
            return try await handler(request, shell, context)
        }
    }

    /// A route that changes something: the form is the session's, and the user may do it.
    private func form(
        _ page: Page, _ router: Router<GatewayContext>, needsOperator: Bool = false,
        use handler: @escaping @Sendable (Request, FormFields, DashboardUser, GatewayContext) async throws -> Response
    ) {
        open(page, router) { request, context in
            guard let user = try await sessions.user(of: request) else {
                // Whoever wanted to leave has left.
                let address =
                    page == .logOut
                    ? LoginPage.address() : LoginPage.address(.ended, to: Destination.referrer(of: request))
                return PageAnswer.redirect(to: address)
            }
            let form = try await fields(of: request, context)
            try Sessions.requireOwnForm(form, of: user, request)
            guard user.isOperator || !needsOperator else {
                throw APIError(.forbidden, "a read-only token may not do this")
            }
            return try await handler(request, form, user, context)
        }
    }

    func fields(of request: Request, _ context: GatewayContext) async throws(APIError) -> FormFields {
        try await bodies.read(request, context) { bytes throws(APIError) in
            FormFields(String(decoding: bytes, as: UTF8.self))
        }
    }
}
