package import CaptureModel
package import CaptureStore
package import PostgresClient

/// The record in PostgreSQL.
///
/// Every call is one statement or one transaction. The database decides: `capture_settle_v1` on counters and results,
/// constraints on what must never be. This type only encodes, decodes and names faults.
///
/// The schema comes from ``Migrator``; see ``Migrator/requireCurrent()`` for the check at start.
package struct PostgresCaptureStore: CaptureStore {
    let client: PostgresClient

    /// Keeps the record through a client, which stays the caller's to run.
    package init(client: PostgresClient) {
        self.client = client
    }

    /// Decides a batch as a whole: counters checked and advanced, results kept.
    package func settle(_ batch: [ExaminedCapture], policy: CounterPolicy) async throws(StoreError) -> [SettledCapture]
    {
        guard !batch.isEmpty else { return [] }
        return try await asStoreError { () throws(PostgresError) in
            let parameters = SettleParameters(batch, policy: policy).values
            let rows = try await client.execute(Statements.settle, parameters).rows
            guard rows.count == batch.count else { throw PostgresError(.decoding, "a capture has no decision") }
            return try zip(batch, rows).map { capture, row throws(PostgresError) in
                try SettledCapture(
                    id: capture.job.id, decision: row.decision(), wasSettledBefore: row.bool("settled_before"))
            }
        }
    }

    /// The conflicts of those of some captures that are replays of an attested key.
    package func counterConflicts(of captures: [CaptureID]) async throws(StoreError) -> [CounterConflict] {
        guard !captures.isEmpty else { return [] }
        return try await asStoreError { () throws(PostgresError) in
            let parameters: [PostgresValue] = [.uuidArray(captures.map(\.uuid))]
            let found = try await client.execute(Statements.counterConflicts, parameters)
            return try found.rows.map { row throws(PostgresError) in
                try CounterConflict(
                    capture: CaptureID(row.uuid("id")), verified: CaptureID(row.uuid("verified_id")))
            }
        }
    }

    /// Reads results; captures without one are missing from the answer.
    package func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
        guard !captures.isEmpty else { return [:] }
        return try await asStoreError { () throws(PostgresError) in
            let found =
                captures.count == 1
                ? try await client.execute(Statements.result, [.uuid(captures[0].uuid)])
                : try await client.execute(Statements.results, [.uuidArray(captures.map(\.uuid))])
            var results: [CaptureID: ProvenanceResult] = [:]
            for row in found.rows {
                let result = try row.provenanceResult()
                results[result.id] = result
            }
            return results
        }
    }

    /// The evidence uploaded with a settled capture.
    package func uploaded(with capture: CaptureID) async throws(StoreError) -> UploadedEvidence? {
        try await asStoreError { () throws(PostgresError) in
            guard let row = try await client.execute(Statements.uploaded, [.uuid(capture.uuid)]).first else {
                return nil
            }
            return UploadedEvidence(assertion: try row.bytes("assertion"), metadata: try row.bytes("metadata"))
        }
    }

    /// The later attestation that a settled capture's result rests on.
    package func laterAttestation(for capture: CaptureID) async throws(StoreError) -> LaterAttestation? {
        try await asStoreError { () throws(PostgresError) in
            guard let row = try await client.execute(Statements.laterAttestation, [.uuid(capture.uuid)]).first else {
                return nil
            }
            return LaterAttestation(
                attestedAt: try row.moment("attested_at"), attestationObject: try row.bytes("attestation_object"),
                clientDataHash: try row.bytes("client_data_hash"))
        }
    }

    /// Advances the counter of a key's requests iff it is greater than the stored one.
    package func advanceRequestCounter(of key: KeyID, to counter: UInt32) async throws(StoreError) -> Bool {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [.bytes(key.bytes), .int8(Int64(counter))]
            return try await client.execute(Statements.advanceRequestCounter, values).rowsAffected == 1
        }
    }

    /// Notes that a key without a counter has signed a request.
    package func noteRequest(of key: KeyID) async throws(StoreError) {
        try await asStoreError { () throws(PostgresError) in
            _ = try await client.execute(Statements.noteRequest, [.bytes(key.bytes)])
        }
    }

    /// Notes actions of operators and programs.
    package func recordAudit(_ entries: [AuditEntry]) async throws(StoreError) {
        guard !entries.isEmpty else { return }
        try await asStoreError { () throws(PostgresError) in
            _ = try await client.execute(Statements.recordAudit, entries.values)
        }
    }

    /// The audit entries of a subject, latest first.
    package func auditTrail(of subject: String, limit: Int) async throws(StoreError) -> [AuditEntry] {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [.text(subject), .int8(Int64(max(0, limit)))]
            return try await client.execute(Statements.auditTrail, values).rows.map { row throws(PostgresError) in
                try row.auditEntry()
            }
        }
    }

    /// The time by the server's clock.
    package func serverTime() async throws(StoreError) -> Timestamp {
        try await asStoreError { () throws(PostgresError) in
            guard let row = try await client.execute(Statements.time).first else {
                throw PostgresError(.decoding, "the server told no time")
            }
            return Timestamp(microsecondsSince1970: try row.timestamptz("now"))
        }
    }

    /// Answers when the record can be reached.
    package func ping() async throws(StoreError) {
        try await asStoreError { () throws(PostgresError) in try await client.ping() }
    }
}
