package import CaptureModel
package import CaptureStore
import PostgresClient

extension PostgresCaptureStore: DeviceRegistry {
    /// Notes a compromise, with its revocation, for all devices registered under the key's lock.
    package func compromise(
        _ device: DeviceID, since moment: Timestamp, reason: String, actor: String
    ) async throws(StoreError) -> NotedCompromise? {
        let isNoted = try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [
                .uuid(device.uuid), .timestamptz(moment.storable), .text(reason), .text(actor),
            ]
            return try await client.withTransaction { connection throws(PostgresError) -> Bool in
                _ = try await connection.execute(Statements.lockKeyOfDevice, [.uuid(device.uuid)])
                return try await connection.execute(Statements.compromise, values).first?.int8("devices") == 1
            }
        }
        return isNoted ? NotedCompromise(affected: await affectedCount(of: device)) : nil
    }

    /// Counts the affected results; `nil` if that fails, as the compromise itself is noted already.
    private func affectedCount(of device: DeviceID) async -> Int? {
        let values: [PostgresValue] = [.uuid(device.uuid), .int8(Int64(DeviceTally.countMax))]
        do throws(PostgresError) {
            return try await client.execute(Statements.affectedCount, values).first.map { row throws(PostgresError) in
                Int(try row.int8("results"))
            }
        } catch {
            return nil
        }
    }

    /// Counts the captures that a compromise since a moment would concern.
    package func tally(ofKeyOf device: DeviceID, from: Timestamp) async throws(StoreError) -> DeviceTally {
        try await asStoreError { () throws(PostgresError) in
            let most = Int64(DeviceTally.countMax)
            let values: [PostgresValue] = [.uuid(device.uuid), .timestamptz(from.storable), .int8(most)]
            return try await DeviceTally(client.execute(Statements.keyTally, values).rows)
        }
    }

    /// The verified results of a key since its compromise, in the order of their receipt.
    package func affected(
        of device: DeviceID, after counter: UInt32, limit: Int
    ) async throws(StoreError) -> [AffectedResult] {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [.uuid(device.uuid), .int8(Int64(counter)), .int8(Int64(max(0, limit)))]
            return try await client.execute(Statements.affected, values).rows.map { row throws(PostgresError) in
                try AffectedResult(
                    capture: CaptureID(row.uuid("id")), counter: row.counter("counter"),
                    receivedAt: row.moment("received_at"))
            }
        }
    }

    /// Registrations that were revoked or replaced at a moment that lies ahead of the record's clock, latest first.
    ///
    /// The clock was set back since.
    package func devicesEndingAhead(limit: Int) async throws(StoreError) -> [DeviceID] {
        try await asStoreError { () throws(PostgresError) in
            let rows = try await client.execute(Statements.devicesEndingAhead, [.int8(Int64(max(0, limit)))]).rows
            return try rows.map { row throws(PostgresError) in try DeviceID(row.uuid("id")) }
        }
    }

    /// Keeps a new attestation under the key's lock, so that two of them see each other.
    package func reattest(
        _ attestation: DeviceRegistration, keeping roots: Set<String>, actor: String
    ) async throws(StoreError) -> ReattestationOutcome {
        try await asStoreError { () throws(PostgresError) in
            try await client.withTransaction { connection throws(PostgresError) in
                try await Self.reattest(attestation, keeping: roots, actor, on: connection)
            }
        }
    }

    private static func reattest(
        _ attestation: DeviceRegistration, keeping roots: Set<String>, _ actor: String,
        on connection: PostgresConnection
    ) async throws(PostgresError) -> ReattestationOutcome {
        let device = attestation.device
        let id = PostgresValue.uuid(device.id.uuid)
        _ = try await connection.execute(Statements.lockKey, [.bytes(device.keyID.bytes)])
        guard let row = try await connection.execute(Statements.reattested, [id]).first,
            try row.bytes("key_id") == device.keyID.bytes, try row.text("level") == device.level.rawValue,
            device.level == .secureEnclave, let object = attestation.attestationObject,
            let hash = attestation.clientDataHash, let root = device.trustRoot,
            try row.textOptional("app_id") == device.appID,
            try row.textOptional("environment") == device.environment?.rawValue,
            let earlier = try row.textOptional("trust_root"),
            earlier == root || !(Device.trustRootDigest(in: earlier).map(roots.contains) ?? false)
        else { return .notAttested }
        let now = PostgresValue.timestamptz(device.registeredAt.storable)
        guard try row.momentOptional("revoked_at") == nil else { return .revoked }
        _ = try await connection.execute(
            Statements.insertAttestation,
            [
                id, now, .bytes(object), .bytes(hash), .bytesArray(attestation.certificateChain),
                .optional(attestation.receipt) { .bytes($0) }, .text(root), .text(device.model),
                .optional(attestation.osVersion) { .text($0) },
                .optional(attestation.validationCategory) { .int4(Int32(clamping: $0)) },
                .optional(attestation.bundleVersion) { .text($0) },
            ])
        if earlier != root { _ = try await connection.execute(Statements.replaceRoot, [id, .text(root)]) }
        // A bad receipt does not replace a good one.
        if let receipt = attestation.receipt, !receipt.isEmpty, attestation.receiptRejection == nil {
            _ = try await connection.execute(Statements.replaceReceipt, [id, .bytes(receipt), .bytes(hash), now])
        }
        let drift = attestation.summary.drift(since: try row.attestationSummary())
        var details: [String: String] = drift.reduce(into: [:]) {
            $0[$1.fact.rawValue] = "\($1.before ?? "none") → \($1.after ?? "none")"
        }
        if earlier != root { details["trust_root"] = "\(earlier) → \(root)" }
        details["processor_version"] = ProcessorVersion.current
        let note = AuditEntry(
            at: device.registeredAt, actor: actor, action: .deviceReattest, subject: "\(device.id)",
            details: details)
        _ = try await connection.execute(Statements.recordAudit, [note].values)
        return .kept(drift)
    }

    /// The attestations of a device: the registration's, and the latest since.
    package func attestations(of device: DeviceID) async throws(StoreError) -> AttestationHistory {
        try await asStoreError { () throws(PostgresError) in
            // One more than is listed shows whether there are more.
            let values: [PostgresValue] = [.uuid(device.uuid), .int8(Int64(AttestationHistory.latestMax + 1))]
            let rows = try await client.execute(Statements.attestations, values).rows
            return AttestationHistory(try rows.map { row throws(PostgresError) in try row.attestationSummary() })
        }
    }
}

extension DeviceRegistration {
    /// The attestation's facts about the device.
    fileprivate var summary: AttestationSummary {
        AttestationSummary(
            at: device.registeredAt, model: device.model, osVersion: osVersion, bundleVersion: bundleVersion,
            validationCategory: validationCategory)
    }
}

extension PostgresRow {
    fileprivate func attestationSummary() throws(PostgresError) -> AttestationSummary {
        try AttestationSummary(
            at: moment("attested_at"), model: text("model"), osVersion: textOptional("os_version"),
            bundleVersion: textOptional("bundle_version"),
            validationCategory: int4Optional("validation_category").map(Int.init))
    }
}
