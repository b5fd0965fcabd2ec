import CaptureModel
import PostgresClient

/// A batch as the parallel arrays that `capture_settle_v2` takes, in the order of its parameters.
struct SettleParameters {
    let values: [PostgresValue]

    init(_ batch: [ExaminedCapture], policy: CounterPolicy) {
        let back: Int64 =
            switch policy {
            case .strict: 0
            case .window(let size): Int64(size)
            }
        values = [
            .text(policy.description),
            .int8(back),
            .text(ProcessorVersion.current),
            .uuidArray(batch.map(\.job.id.uuid)),
            .uuidArray(batch.map(\.job.device.uuid)),
            .boolArray(batch.map { $0.device != nil }),
            .int8Array(batch.map { $0.counter.map(Int64.init) }),
            .textArray(batch.map { $0.outcome.rejection?.rawValue }),
            .textArray(batch.map(\.outcome.confidence.rawValue)),
            .textArray(
                batch.map {
                    ChecksJSON.encode($0.checks, rollout: $0.rollout, risk: $0.risk, claimedAt: $0.job.claimedAt)
                }),
            .textArray(batch.map(\.job.submission.binding.rawValue)),
            .bytesArray(batch.map(\.job.submission.photoDigest.bytes)),
            .bytesArray(batch.map(\.job.submission.depthDigest.bytes)),
            .bytesArray(batch.map { SHA256Digest.hash($0.job.submission.metadata).bytes }),
            .bytesArray(batch.map(\.clientDataHash.bytes)),
            .int8Array(batch.map { Int64($0.job.submission.photoBytes) }),
            .int8Array(batch.map { Int64($0.job.submission.depthBytes) }),
            .bytesArray(batch.map(\.job.submission.assertion)),
            .bytesArray(batch.map(\.job.submission.metadata)),
            .int4Array(batch.map { Int32(clamping: max(1, $0.job.attempts)) }),
            .boolArray(batch.map(\.job.isRedriven)),
            .timestamptzArray(batch.map { $0.capturedAt?.storable }),
            .timestamptzArray(batch.map(\.job.receivedAt.storable)),
            .timestamptzArray(batch.map(\.verifiedAt.storable)),
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
