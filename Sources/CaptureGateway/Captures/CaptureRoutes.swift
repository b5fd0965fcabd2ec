import Hummingbird
import IntakeJournal

/// The routes of captures: upload, status, provenance, evidence.
enum CaptureRoutes {
    /// Adds them to a router.
    static func add(
        to router: Router<GatewayContext>, configuration: GatewayConfiguration, dependencies: GatewayDependencies,
        access: AccessControl, bodies: RequestBodies, journal: IntakeJournal?, feed: ChangeFeed
    ) {
        let upload = UploadRoute(configuration: configuration, dependencies: dependencies, journal: journal)
        router.route(.uploadCapture) { request, context in try await upload.handle(request, context) }

        let lookup = CaptureLookup(
            queue: dependencies.queue, store: dependencies.store, intake: dependencies.intake
        )
        let status = StatusRoute(
            configuration: configuration, dependencies: dependencies, lookup: lookup, access: access
        )
        router.route(.captureStatus) { request, context in try await status.handle(request, context) }

        let statuses = StatusesRoute(
            configuration: configuration, now: dependencies.now, lookup: lookup, access: access, bodies: bodies
        )
        router.route(.captureStatuses) { request, context in try await statuses.handle(request, context) }

        let listing = ListingRoute(
            access: access,
            listing: dependencies.operators.map {
                CaptureListing(archive: $0.archive, queue: dependencies.queue, store: dependencies.store)
            },
            now: dependencies.now
        )
        router.route(.listCaptures) { request, context in try await listing.handle(request, context) }

        let events = EventRoutes(feed: feed, access: access, lookup: lookup)
        router.route(.events) { request, context in try await events.all(request, context) }
        router.route(.captureEvents) { request, context in try await events.one(request, context) }

        let provenance = ProvenanceRoute(
            store: dependencies.store, now: dependencies.now, lookup: lookup, access: access)
        router.route(.captureProvenance) { request, context in try await provenance.handle(request, context) }

        let evidence = EvidenceRoute(
            store: dependencies.store, now: dependencies.now, lookup: lookup, access: access)
        router.route(.captureEvidence) { request, context in try await evidence.handle(request, context) }
    }
}
