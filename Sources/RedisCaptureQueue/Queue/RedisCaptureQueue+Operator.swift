package import CaptureModel
package import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// Puts a device's dead letter back at the end of its lane; `false` when the device's partition has none of this id.
    package func redrive(_ capture: CaptureID, from device: DeviceID) async throws(QueueError) -> Bool {
        try await redrive(capture, in: partition(of: device))
    }

    /// Puts a dead letter of a partition back at the end of its device's lane; `false` when it has none of this id.
    package func redrive(_ capture: CaptureID, in partition: Int) async throws(QueueError) -> Bool {
        try await call(.redrive, in: keyspace[partition], [.string(capture.description)]).int == 1
    }

    /// Puts a dead letter back as its row in the ledger has it; `false` when its device's partition has none of this id.
    package func redrive(as submission: CaptureSubmission) async throws(QueueError) -> Bool {
        let partition = keyspace.partition(of: submission.device)
        return try await call(.redriveAsAccepted, in: partition, Self.arguments(of: submission)).int == 1
    }

    /// Deletes a dead letter and its bytes for good; `false` when there is none at this place.
    package func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool {
        let arguments: [RedisArgument] = [
            .string(letter.capture.description), .integer(Int(letter.diedAt.millisecondsSince1970)),
        ]
        return try await callUntilDone(.discard, arguments)
    }

    /// Tells all workers to claim nothing, or to go on.
    ///
    /// They finish their leased lanes either way. A partition that is paused already keeps the moment that it has.
    /// - Parameter since: The moment of the pause as the audit has it; `nil` ends it.
    package func setPaused(since: Timestamp?) async throws(QueueError) {
        // A resume is a plain command: every server takes it, even a full one or one without functions.
        guard let since else {
            _ = try await send(keyspace.all.map { RedisCommand("DEL", [.string($0.paused)]) })
            return
        }
        let moment = RedisArgument.string(String(since.microsecondsSince1970))
        let calls = keyspace.all.map { FunctionCaller.command(.pause, keys: [$0.ready], [moment]) }
        let replies = try await replies(to: calls)
        _ = try replies.filter { !FunctionCaller.isMissingFunction($0) }.withoutErrors()
        // If a Redis has lost its functions, another program's next call loads them; a pause does not wait for that.
        let without = zip(keyspace.all, replies).filter { FunctionCaller.isMissingFunction($1) }.map(\.0)
        _ = try await send(without.map { RedisCommand("SET", [.string($0.paused), moment, "NX"]) })
    }

    /// The moments that the pauses of the partitions were noted at; none while nothing is paused.
    package func pausedSince() async throws(QueueError) -> Set<Timestamp> {
        let replies = try await send(keyspace.all.map { RedisCommand("GET", [.string($0.paused)]) })
        return Set(replies.compactMap(\.int).map { Timestamp(microsecondsSince1970: Int64($0)) })
    }

    /// The time by the server's clock, on which leases and delays are based.
    package func serverTime() async throws(QueueError) -> Timestamp {
        try await functions.client.serverTime()
    }

    /// The counters since the queue was made, by name, summed over the partitions: `accepted`, `duplicates`, `refused`,
    /// `verified`, `rejected`, `failed`, `taken_over`, `redriven`, `discarded`, and the levels `queued`, `bytes` and
    /// `dead_bytes`.
    package func counters() async throws(QueueError) -> [String: Int] {
        var totals: [String: Int] = [:]
        for reply in try await send(keyspace.all.map { RedisCommand("HGETALL", [.string($0.stats)]) }) {
            for (name, value) in (reply.array ?? []).pairs {
                guard let count = value.int else { continue }
                totals[name] = (totals[name] ?? 0).addingClamped(count)
            }
        }
        return totals
    }
}
