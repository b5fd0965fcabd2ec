import CaptureModel
import CaptureStore
import PostgresClient

extension [CaptureSubmission] {
    /// The parallel arrays that `capture_intake_v1` takes, in the order of its parameters.
    var intakeColumns: [PostgresValue] {
        [
            .uuidArray(map(\.id.uuid)),
            .bytesArray(map(\.bundleDigest.bytes)),
            .uuidArray(map(\.device.uuid)),
            .textArray(map(\.binding.rawValue)),
            .bytesArray(map(\.assertion)),
            .bytesArray(map(\.metadata)),
            .bytesArray(map(\.photoDigest.bytes)),
            .bytesArray(map(\.depthDigest.bytes)),
            .int8Array(map { Int64($0.photoBytes) }),
            .int8Array(map { Int64($0.depthBytes) }),
            .timestamptzArray(map { $0.receivedAt?.storable }),
            .textArray(map(\.traceParent)),
            .textArray(map(\.bundleStore.rawValue)),
        ]
    }
}

extension [CaptureID] {
    /// The ids as one parameter.
    var ids: PostgresValue { .uuidArray(map(\.uuid)) }
}

extension PostgresResult {
    /// Under which id each upload is accepted; `contested` where nothing is answered.
    func intakeOutcomes(of submissions: [CaptureSubmission]) throws(PostgresError) -> [IntakeOutcome] {
        var outcomes = [IntakeOutcome](repeating: .contested, count: submissions.count)
        for row in rows {
            let index = try Int(row.int8("number")) - 1
            guard submissions.indices.contains(index) else { throw PostgresError(.decoding, "an unknown upload") }
            let first = try CaptureID(row.uuid("first_id"))
            let standing: IntakeStanding =
                try !row.bool("is_open") ? .closed : row.bool("is_claimed") ? .claimed : .waiting
            outcomes[index] = first == submissions[index].id ? .recorded : .earlier(first, standing)
        }
        return outcomes
    }

    /// The ledger's entries, in the order of the rows.
    func intakeEntries() throws(PostgresError) -> [IntakeEntry] {
        try rows.map { row throws(PostgresError) in try row.intakeEntry() }
    }
}

extension PostgresRow {
    func intakeEntry() throws(PostgresError) -> IntakeEntry {
        let submission = try CaptureSubmission(
            id: CaptureID(uuid("capture_id")), device: DeviceID(uuid("device_id")),
            bundleDigest: digest("bundle_digest"), binding: value("binding"), assertion: bytes("assertion"),
            metadata: bytes("metadata"), photoDigest: digest("photo_digest"), depthDigest: digest("depth_digest"),
            photoBytes: Int(int8("photo_bytes")), depthBytes: Int(int8("depth_bytes")),
            receivedAt: moment("received_at"), traceParent: textOptional("traceparent"),
            bundleStore: made("bundle_store", BundleStoreName(text("bundle_store"))))
        return try IntakeEntry(
            submission: submission, place: int8("place"), recordedAt: moment("recorded_at"),
            notedDeadAt: momentOptional("buried_at"), claimedAt: momentOptional("claimed_at"))
    }
}

extension IntakeEntry {
    /// The row's columns, in the order in which it is reinstated.
    var columns: [PostgresValue] {
        [
            .uuid(submission.id.uuid), .bytes(submission.bundleDigest.bytes), .uuid(submission.device.uuid),
            .text(submission.binding.rawValue), .bytes(submission.assertion), .bytes(submission.metadata),
            .bytes(submission.photoDigest.bytes), .bytes(submission.depthDigest.bytes),
            .int8(Int64(submission.photoBytes)), .int8(Int64(submission.depthBytes)),
            .optional(submission.receivedAt) { .timestamptz($0.storable) },
            .optional(submission.traceParent) { .text($0) }, .text(submission.bundleStore.rawValue),
            .optional(place == Self.nextPlace ? nil : place) { .int8($0) },
            .timestamptz(recordedAt.storable), .optional(notedDeadAt) { .timestamptz($0.storable) },
            .optional(claimedAt) { .timestamptz($0.storable) },
        ]
    }
}

extension Duration {
    /// Whole microseconds, at least 0; times beyond PostgreSQL's calendar count as 100 years.
    var wholeMicroseconds: Int64 {
        Int64(min(max(self, .zero), .seconds(3_155_760_000)).whole(.microseconds(1)))
    }
}
