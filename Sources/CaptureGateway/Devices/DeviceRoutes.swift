import CaptureModel
import CaptureOperations
import CaptureStore
import FoundationEssentials
import Hummingbird
import Logging

/// Devices for operators and dashboards: lists, everything on one, revocation, and what a compromised key has signed.
struct DeviceRoutes: Sendable {
    let dependencies: GatewayDependencies
    let access: AccessControl
    let bodies: RequestBodies

    func add(to router: Router<GatewayContext>) {
        router.route(.listDevices, use: list)
        router.route(.showDevice, use: show)
        router.route(.revokeDevice, use: revoke)
        router.route(.affectedResults, use: affected)
    }

    /// `GET /api/v1/devices`: newest first; `after` is the `next` of the page before, its last id.
    func list(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await access.requireToken(of: request, context)
        let query = FormFields(request.uri.query ?? "")
        let after = try Self.place(in: query)
        let limit = try query.pageLimit()
        // One more than asked for, to tell whether there are more.
        let found = try await dependencies.store.devicePage(after: after, limit: limit + 1)
        return try Envelope.success(
            DeviceListDocument(found, limit: limit), context: context, now: dependencies.now())
    }

    /// `GET /api/v1/devices/{id}`: everything that is known of one, but its evidence.
    func show(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await access.requireToken(of: request, context)
        let (id, registry) = (try Self.id(context.parameters.get("id"), "id"), try dependencies.requireRegistry())
        let document = try await askingStore { () async throws(StoreError) -> DeviceDetails? in
            guard let record = try await dependencies.store.record(of: id) else { return nil }
            return DeviceDetails(
                record: record, receipt: try await registry.receipt(of: id),
                attestations: try await registry.attestations(of: id))
        }
        guard let document else { throw Self.unknown }
        return try Envelope.success(document, context: context, now: dependencies.now())
    }

    /// `POST /api/v1/devices/{id}/revoke`: from now on, or from the moment on since which the key was in other hands.
    func revoke(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        let actor = try await access.requireOperator(of: request, context)
        let (id, actions) = (try Self.id(context.parameters.get("id"), "id"), try dependencies.requireDeviceActions())
        let form = try await bodies.json(RevocationRequest.self, request, context)
        guard let reason = RevocationReason(form.reason) else {
            throw APIError.invalid("reason", "must be \(RevocationReason.rule)")
        }
        let now = dependencies.now()
        let since = try form.compromisedSince.map { text throws(APIError) in
            guard let since = Timestamp(rfc3339: text), since <= now else {
                throw .invalid("compromised_since", "must be a time of RFC 3339 that is not to come")
            }
            return since
        }
        let noted = try await askingStore { () async throws(StoreError) -> NotedCompromise? in
            if let since {
                return try await actions.compromise(id, since: since, reason: reason, by: actor)
            }
            return try await actions.revoke(id, from: nil, reason: reason, by: actor)
                ? NotedCompromise(affected: 0) : nil
        }
        guard let noted else { throw Self.unknown }
        context.logger.notice("revoked a device", metadata: ["device_id": "\(id)", "actor": "\(actor)"])
        // Read again, as the record keeps the earlier one of two moments. If that fails, the revocation is done all the
        // same.
        let revokedAt: Timestamp?
        do throws(APIError) { revokedAt = try await device(id)?.revokedAt } catch { revokedAt = nil }
        let answer = RevocationAnswer(
            deviceID: "\(id)", revokedAt: revokedAt?.rfc3339, affectedResults: noted.affected)
        return try Envelope.success(answer, context: context, now: now)
    }

    /// `GET /api/v1/devices/{id}/affected`: the verified results since the key was in other hands, in the order of receipt.
    func affected(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await access.requireToken(of: request, context)
        let (id, registry) = (try Self.id(context.parameters.get("id"), "id"), try dependencies.requireRegistry())
        let query = FormFields(request.uri.query ?? "")
        let after = try query["after"].map { text throws(APIError) in
            guard let counter = UInt32(text) else { throw .invalid("after", "must be a counter") }
            return counter
        }
        let limit = try query.pageLimit()
        let results = try await askingStore { () async throws(StoreError) in
            try await registry.affected(of: id, after: after ?? 0, limit: limit + 1)
        }
        if results.isEmpty, try await device(id) == nil { throw Self.unknown }
        return try Envelope.success(
            AffectedDocument(results, limit: limit), context: context, now: dependencies.now())
    }

    // MARK: Support

    private static let unknown = APIError(.deviceUnknown, "there is no such device")

    private func device(_ id: DeviceID) async throws(APIError) -> Device? {
        try await askingStore { () async throws(StoreError) -> Device? in
            try await dependencies.store.device(id)
        }
    }

    /// The last device of the page before, which a query of the next one names; `nil` for the first page.
    static func place(in fields: FormFields) throws(APIError) -> DeviceID? {
        try fields["after"].map { text throws(APIError) in try Self.id(text, "after") }
    }

    private static func id(_ text: String?, _ field: String) throws(APIError) -> DeviceID {
        guard let id = text.flatMap({ DeviceID($0) }) else { throw .invalid(field, "must be a device's UUID") }
        return id
    }
}
