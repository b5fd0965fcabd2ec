package import CaptureModel
package import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// Accepts a capture whose bytes are in the bundle store, or names the one that was accepted before.
    package func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome {
        do throws(QueueError) {
            return try await callEnqueue(submission)
        } catch {
            if let outcome = Self.tooLarge(error) { return outcome }
            throw Self.isOfOlderLibrary(error) ? QueueError(.unavailable, error.message, isRefusal: true) : error
        }
    }

    /// Whether a function refuses the key that names the installation: it is one from before that key, which is replaced
    /// within seconds.
    private static func isOfOlderLibrary(_ fault: QueueError) -> Bool {
        fault.code == .refused && fault.message.hasPrefix("INVALID KEYS: ")
    }

    /// What the function refuses a photo or depth map for that is larger than the queue's limit; `nil` for other faults.
    private static func tooLarge(_ fault: QueueError) -> EnqueueOutcome? {
        guard fault.code == .refused else { return nil }
        for part in CaptureMedia.Part.allCases {
            let words = "INVALID \(part.rawValue)_bytes: more than "
            guard fault.message.hasPrefix(words) else { continue }
            let number = fault.message.dropFirst(words.count).prefix { $0.isASCII && $0.isNumber }
            return Int(number).map { .tooLarge(part, bytesMax: $0) }
        }
        return nil
    }

    private func callEnqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome {
        let partition = keyspace.partition(of: submission.device)
        let names = [
            partition.ready, partition.lane(submission.device), partition.job(submission.id),
            partition.accepted(submission.bundleDigest),
            partition.stats, partition.photo(submission.id), partition.depth(submission.id),
        ]
        let keys = names + installationKeys(in: partition)
        let arguments = Self.arguments(of: submission) + (configuration.hasLedger ? ["ledger", 1] : [])
        guard let replicated else {
            return try Self.outcome(try await functions.call(.enqueue, keys: keys, arguments))
        }
        let answer = try await replicated.call(.enqueue, keys: keys, arguments)
        let outcome = try Self.outcome(answer.reply)
        guard let shortfall = answer.shortfall else { return outcome }
        switch outcome {
        case .full, .tooLarge: return outcome
        // The other capture may be lost with this server, so it must not be the answer. Of this one nothing was kept.
        case .duplicate(let first) where first != submission.id: throw QueueError(.busy, shortfall.message)
        case .accepted, .duplicate: throw shortfall
        }
    }

    private static func outcome(_ reply: RedisValue) throws(QueueError) -> EnqueueOutcome {
        switch (reply.array?.first?.string, reply.array?.dropFirst().first?.string.flatMap { CaptureID($0) }) {
        case ("accepted", _): .accepted
        case ("duplicate", let first?): .duplicate(of: first)
        case ("full", _): .full
        default: throw .malformed(.enqueue)
        }
    }

    /// Forgets that a bundle was accepted as the given capture, if the queue does not know that capture any more.
    package func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool {
        let reply = try await call(
            .forget, in: keyspace.partition(of: device),
            [.string(bundle.hex), .string(capture.description)])
        return reply.int == 1
    }

    /// One command for each partition, as a bundle's digest does not tell its partition.
    package func accepted(_ bundle: SHA256Digest) async throws(QueueError) -> CaptureID? {
        let replies = try await send(keyspace.all.map { RedisCommand("GET", [.string($0.accepted(bundle))]) })
        return replies.lazy.compactMap { $0.string.flatMap { CaptureID($0) } }.first
    }

    /// One command: the job, if it is there.
    package func job(of capture: CaptureID, from device: DeviceID) async throws(QueueError) -> ClaimedJob? {
        let key = keyspace.partition(of: device).job(capture)
        let names = JobFields.claimed + ["state"]
        let replies = try await send([RedisCommand("HMGET", [.string(key)] + names.map { RedisArgument.string($0) })])
        guard let values = replies.first?.array, values.count == names.count else { throw .malformed("HMGET") }
        let fields = JobFields(names: names, values: values[...])
        guard fields.text("state") != nil else { return nil }
        return fields.job(capture, of: device, claimedAt: Timestamp(microsecondsSince1970: 0))
    }

    static func arguments(of submission: CaptureSubmission) -> [RedisArgument] {
        var arguments: [RedisArgument] = [
            "device", .string(submission.device.description), "capture", .string(submission.id.description),
            "bundle_digest", .string(submission.bundleDigest.hex), "binding", .string(submission.binding.rawValue),
            "assertion", .bytes(submission.assertion), "metadata", .bytes(submission.metadata),
            "photo_sha256", .string(submission.photoDigest.hex), "depth_sha256", .string(submission.depthDigest.hex),
            "photo_bytes", .integer(submission.photoBytes), "depth_bytes", .integer(submission.depthBytes),
            "bundle_store", .string(submission.bundleStore.rawValue),
        ]
        if let receivedAt = submission.receivedAt {
            arguments += ["received_at", .integer(receivedAt.millisecondsSince1970)]
        }
        if let traceParent = submission.traceParent { arguments += ["traceparent", .string(traceParent)] }
        return arguments
    }
}
