import Hummingbird
import IntakeJournal
import ProcessHealth

/// All routes of a gateway, and what several of them share.
struct AllRoutes {
    private let configuration: GatewayConfiguration
    private let dependencies: GatewayDependencies
    private let journal: IntakeJournal?
    private let feed: ChangeFeed
    private let access: AccessControl
    /// One for all routes: they share its memory budget.
    private let bodies: RequestBodies
    /// The overview and `/readyz` share their look at the servers.
    private let vitals: Vitals

    init(
        configuration: GatewayConfiguration, dependencies: GatewayDependencies, journal: IntakeJournal?,
        feed: ChangeFeed
    ) {
        self.configuration = configuration
        self.dependencies = dependencies
        self.journal = journal
        self.feed = feed
        access = AccessControl(configuration: configuration, dependencies: dependencies)
        bodies = RequestBodies(configuration.requests)
        vitals = Vitals(configuration: configuration, dependencies: dependencies)
    }

    /// Adds them to a router that has its middleware already.
    func add(to router: Router<GatewayContext>) throws {
        addCaptures(to: router)
        addDashboard(to: router)
        addDevices(to: router)
        try addOperating(to: router)
    }

    /// Captures: upload, status, lists, events, provenance, evidence.
    private func addCaptures(to router: Router<GatewayContext>) {
        let (store, now) = (dependencies.store, dependencies.now)
        let lookup = CaptureLookup(dependencies)
        let listing = dependencies.operators.map {
            CaptureListing(archive: $0.archive, queue: dependencies.queue, store: store)
        }
        let upload = UploadRoute(configuration: configuration, dependencies: dependencies, journal: journal)
        router.route(.uploadCapture, use: upload.handle)
        let status = StatusRoute(
            configuration: configuration, dependencies: dependencies, lookup: lookup, access: access)
        router.route(.captureStatus, use: status.handle)
        let statuses = StatusesRoute(
            reading: configuration.reading, now: now, lookup: lookup, access: access, bodies: bodies)
        router.route(.captureStatuses, use: statuses.handle)
        router.route(.listCaptures, use: ListingRoute(listing: listing, now: now, access: access).handle)
        let search = SearchRoute(archive: dependencies.operators?.archive, now: now, access: access)
        router.route(.searchIDs, use: search.handle)
        EventRoutes(feed: feed, lookup: lookup, access: access).add(to: router)
        let provenance = ProvenanceRoute(store: store, now: now, lookup: lookup, access: access)
        router.route(.captureProvenance, use: provenance.handle)
        let evidence = EvidenceAnswer(store: store, now: now, lookup: lookup)
        router.route(.captureEvidence, use: EvidenceRoute(answer: evidence, access: access).handle)
    }

    /// The dashboard, if this gateway has one.
    private func addDashboard(to router: Router<GatewayContext>) {
        guard let operators = dependencies.operators else { return }
        DashboardRoutes(
            configuration: configuration, dependencies: dependencies, operators: operators, bodies: bodies,
            vitals: vitals
        ).add(to: router)
    }

    /// Devices: challenge, registration, enrolment, and what operators see and do.
    private func addDevices(to router: Router<GatewayContext>) {
        // One for all: it keeps the verifiers.
        let registrar = Registrar(configuration: configuration, dependencies: dependencies)
        let challenge = ChallengeRoute(configuration: configuration, dependencies: dependencies)
        router.route(.issueChallenge, use: challenge.handle)
        let registration = RegistrationRoute(dependencies: dependencies, registrar: registrar, bodies: bodies)
        router.route(.registerDevice, use: registration.handle)
        let checked = DeviceCheckRoute(
            environments: configuration.trust.environments, dependencies: dependencies, registrar: registrar,
            bodies: bodies)
        router.route(.registerCheckedDevice, use: checked.handle)
        let reattestation = ReattestationRoute(
            configuration: configuration, dependencies: dependencies, registrar: registrar, bodies: bodies)
        router.route(.reattestDevice, use: reattestation.handle)
        EnrolmentRoutes(
            configuration: configuration, dependencies: dependencies, registrar: registrar, bodies: bodies
        ).add(to: router)
        DeviceRoutes(dependencies: dependencies, access: access, bodies: bodies).add(to: router)
    }

    /// What operating a gateway needs: the queue's load, the rollout, health, metrics; and the API's description.
    private func addOperating(to router: Router<GatewayContext>) throws {
        router.route(.queueLoad, use: QueueRoute(dependencies: dependencies, access: access).handle)
        router.route(.rollout, use: RolloutRoute(dependencies: dependencies, access: access).handle)
        let audit = AuditRoute(archive: dependencies.operators?.archive, now: dependencies.now, access: access)
        router.route(.listAudit, use: audit.handle)
        HealthRoutes(vitals: vitals, hasStarted: dependencies.hasStarted, now: dependencies.now).add(to: router)
        router.route(.metrics, use: MetricsRoute(vitals: vitals).handle)
        let description = try OpenAPIRoute(configuration: configuration)
        router.route(.description, use: description.handle)
    }
}
