package import CaptureModel
package import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// Accepts a capture whose bytes are in the bundle store, or names the one that was accepted before.
    package func enqueue(_ submission: CaptureSubmission) async throws(QueueError) -> EnqueueOutcome {
        let partition = keyspace.partition(of: submission.device)
        let keys = [
            partition.ready, partition.lane(submission.device), partition.job(submission.id),
            partition.accepted(submission.bundleDigest),
            partition.stats, partition.photo(submission.id), partition.depth(submission.id),
        ]
        let arguments = Self.arguments(of: submission) + (configuration.hasLedger ? ["ledger", 1] : [])
        guard let replicated else {
            return try Self.outcome(try await functions.call("capture_enqueue_v1", keys: keys, arguments))
        }
        let answer = try await replicated.call("capture_enqueue_v1", keys: keys, arguments)
        let outcome = try Self.outcome(answer.reply)
        guard let shortfall = answer.shortfall else { return outcome }
        switch outcome {
        case .full: return .full
        // The other capture may be lost with this server, so it must not be the answer. Of this one nothing was kept.
        case .duplicate(let first) where first != submission.id: throw QueueError(.unavailable, shortfall.message)
        case .accepted, .duplicate: throw shortfall
        }
    }

    private static func outcome(_ reply: RedisValue) throws(QueueError) -> EnqueueOutcome {
        switch (reply.array?.first?.string, reply.array?.dropFirst().first?.string.flatMap { CaptureID($0) }) {
        case ("accepted", _): .accepted
        case ("duplicate", let first?): .duplicate(of: first)
        case ("full", _): .full
        default: throw .malformed("capture_enqueue_v1")
        }
    }

    /// Forgets that a bundle was accepted as the given capture, if the queue does not know that capture any more.
    package func forget(
        _ bundle: SHA256Digest, of device: DeviceID, acceptedAs capture: CaptureID
    ) async throws(QueueError) -> Bool {
        let reply = try await call(
            "capture_forget_v1", in: keyspace.partition(of: device),
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
        let names = JobFields.claimed
        let replies = try await send([RedisCommand("HMGET", [.string(key)] + names.map { RedisArgument.string($0) })])
        guard let values = replies.first?.array, values.count == names.count else { throw .malformed("HMGET") }
        let fields = JobFields(names: names, values: values[...])
        guard fields.text("state") != nil else { return nil }
        return fields.job(capture, claimedAt: Timestamp(microsecondsSince1970: 0))
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

    /// How full the queue is, over all partitions.
    package func load() async throws(QueueError) -> QueueLoad {
        var total = QueueLoad(
            captures: 0, bytes: 0, deadLetters: 0, readyLanes: 0, delayedLanes: 0, leasedLanes: 0, capturesMax: 0,
            bytesMax: 0
        )
        for reply in try await callEach("capture_load_v1") {
            guard let partition = QueueLoad(reply: reply) else { throw .malformed("capture_load_v1") }
            total.add(partition)
        }
        return total
    }

    /// Asks every partition, as a capture's id does not tell its partition.
    package func status(of captures: [CaptureID]) async throws(QueueError) -> [JobStatus?] {
        let partitions = keyspace.all
        var found: [JobStatus?] = []
        found.reserveCapacity(captures.count)
        for page in captures.pages(of: max(1, Self.commandsMax / (2 * partitions.count))) {
            found += try await status(of: page, in: partitions)
        }
        return found
    }

    private func status(
        of captures: [CaptureID], in partitions: [PartitionKeys]
    ) async throws(QueueError) -> [JobStatus?] {
        let names = JobFields.status.map { RedisArgument.string($0) }
        let questions = captures.flatMap { capture in
            partitions.flatMap { keys -> [(key: String, command: RedisCommand)] in
                let (job, settled) = (keys.job(capture), keys.settled(capture))
                // In this order, so that a capture settled in between is found in one of the two.
                return [
                    (job, RedisCommand("HMGET", [.string(job)] + names)),
                    (settled, RedisCommand("GET", [.string(settled)])),
                ]
            }
        }
        let answers = try await functions.client.replies(to: questions.map(\.command))
        // Not taken for an unknown capture, whose bytes may be removed.
        for (question, answer) in zip(questions, answers) where answer.error?.prefix == "WRONGTYPE" {
            throw .damaged(question.key)
        }
        let replies = try answers.withoutErrors()
        let each = 2 * partitions.count
        return captures.indices.map { index in
            // A capture found in both was settled in between: the later answer counts.
            replies[index * each..<(index + 1) * each].lazy.compactMap { $0.status(of: captures[index]) }.last
        }
    }

    /// Sets the limits by which the functions refuse captures, for gateways in other languages as well.
    ///
    /// Each partition gets its share; the limits of a device are not divided, as it is in one partition only.
    /// - Throws: `refused` when the queue is laid out in another number of partitions; nothing was set then.
    package func applyLimits() async throws(QueueError) {
        try await QueuePartitions.require(keyspace, on: functions.client)
        _ = try await send(keyspace.all.map(limitsCommand))
    }

    /// Sets the limits of one partition, which do not depend on the other partitions' content.
    func applyLimits(to partition: Int) async throws(QueueError) {
        try await QueuePartitions.requireSame(keyspace, on: functions.client)
        _ = try await send([limitsCommand(keyspace[partition])])
    }

    private func limitsCommand(_ keys: PartitionKeys) -> RedisCommand {
        let partitions = keyspace.partitions
        return RedisCommand(
            "HSET",
            [
                .string(keys.limits),
                "captures_max", .integer(max(1, configuration.capturesMax / partitions)),
                "bytes_max", .integer(max(1, configuration.bytesMax / partitions)),
                "device_captures_max", .integer(max(1, configuration.capturesPerDeviceMax)),
                "device_bytes_max", .integer(max(1, configuration.bytesPerDeviceMax)),
                "photo_bytes_max", .integer(max(1, configuration.photoBytesMax)),
                "depth_bytes_max", .integer(max(1, configuration.depthBytesMax)),
                "accepted_ttl_ms", .integer(configuration.acceptedRetention.milliseconds),
                // In each partition, so that enqueuing can detect a device of another one.
                "partitions", .integer(partitions),
            ]
        )
    }

    /// Sets the limits again if the server has lost its data and with it the limits; returns whether it had lost them.
    /// - Throws: As ``applyLimits()``.
    package func keepLimits() async throws(QueueError) -> Bool {
        // The newest limit: a gateway of an earlier release sets the others only.
        let found = try await send(
            keyspace.all.map { RedisCommand("HEXISTS", [.string($0.limits), "photo_bytes_max"]) })
        guard found.contains(where: { $0.int == 0 }) else { return false }
        try await applyLimits()
        return true
    }
}

extension RedisValue {
    /// The status in a job's fields or in the text of a settled capture.
    fileprivate func status(of capture: CaptureID) -> JobStatus? {
        if let fields = array { return JobFields(names: JobFields.status, values: fields[...]).status(capture) }
        return string.flatMap { SettledText($0) }?.status(of: capture)
    }
}
