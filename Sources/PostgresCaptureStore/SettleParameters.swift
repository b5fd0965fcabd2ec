import CaptureModel
import PostgresClient

/// A batch as the parallel arrays that `capture_settle_v1` takes.
///
/// Each value names its place in ``Statements/settle`` and the parameter that the statement gives it to.
struct SettleParameters {
    let values: [PostgresValue]

    init(_ batch: [ExaminedCapture], policy: CounterPolicy) {
        let back: Int64 =
            switch policy {
            case .strict: 0
            case .window(let size): Int64(size)
            }
        let checks = DistinctChecks(batch)
        values = [
            .text(policy.description),  // $1 policy_text
            .int8(back),  // $2 back
            .text(ProcessorVersion.current),  // $3 version_text
            .uuidArray(batch.map(\.job.id.uuid)),  // $4 id_of
            .uuidArray(batch.map(\.job.device.uuid)),  // $5 device_of
            .boolArray(batch.map(\.isOfKnownDevice)),  // $6 known_of
            .int8Array(batch.map { $0.counter.map(Int64.init) }),  // $7 counter_of
            .textArray(batch.map { $0.outcome.rejection?.rawValue }),  // $8 rejection_of
            .textArray(batch.map(\.outcome.confidence.rawValue)),  // $9 confidence_of
            .textArray(checks.texts),  // $10 checks
            .int4Array(checks.places),  // $11 checks_at
            .textArray(batch.map(\.job.submission.binding.rawValue)),  // $12 binding_of
            .bytesArray(batch.map(\.job.submission.photoDigest.bytes)),  // $13 photo_digest_of
            .bytesArray(batch.map(\.job.submission.depthDigest.bytes)),  // $14 depth_digest_of
            .bytesArray(batch.map { SHA256Digest.hash($0.job.submission.metadata).bytes }),  // $15 metadata_digest_of
            .bytesArray(batch.map(\.clientDataHash.bytes)),  // $16 client_data_hash_of
            .int8Array(batch.map { Int64($0.photoBytes) }),  // $17 photo_bytes_of
            .int8Array(batch.map { Int64($0.depthBytes) }),  // $18 depth_bytes_of
            .bytesArray(batch.map(\.job.submission.assertion)),  // $19 assertion_of
            .bytesArray(batch.map(\.job.submission.metadata)),  // $20 metadata_of
            .int4Array(batch.map { Int32(clamping: max(1, $0.job.attempts)) }),  // $21 attempts_of
            .boolArray(batch.map(\.job.isRedriven)),  // $22 redriven_of
            .timestamptzArray(batch.map { $0.capturedAt?.storable }),  // $23 captured_of
            .timestamptzArray(batch.map(\.job.receivedAt.storable)),  // $24 received_of
            .timestamptzArray(batch.map(\.verifiedAt.storable)),  // $25 verified_of
        ]
    }
}

extension Timestamp {
    /// Microseconds within PostgreSQL's calendar, the years 1 to 9999.
    ///
    /// Otherwise a capture's own wrong time would make the server refuse a whole batch.
    var storable: Int64 {
        min(max(microsecondsSince1970, -62_135_596_800_000_000), 253_402_300_799_999_999)
    }
}
