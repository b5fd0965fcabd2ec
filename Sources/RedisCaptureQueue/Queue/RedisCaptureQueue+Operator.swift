package import CaptureModel
package import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// Dead letters of all partitions, oldest first, after a place in their order.
    package func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
        let limit = Self.deadLimit(limit)
        let rows = try await callEach("capture_dead_v2", Self.deadPage(after: after, limit: limit))
            .flatMap { $0.array ?? [] }.map { $0.array ?? [] }
        let found = rows.compactMap { row in Self.position(row).map { (position: $0, row: row) } }
            // So that pages end: times written over by hand may not be in the order of places.
            .filter { letter in after.map { $0 < letter.position } ?? true }
            .sorted { $0.position < $1.position }.prefix(limit)
        return DeadLetterPage(
            letters: found.compactMap { Self.letter($0.row, at: $0.position) },
            // Every partition was asked for `limit`: if there are fewer in all, there are no more.
            next: rows.count < limit ? nil : found.last?.position
        )
    }

    /// The dead letter of a capture; `nil` when there is none of this id.
    package func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter? {
        try await callEach("capture_dead_letter_v2", [.string(capture.description)]).lazy
            .compactMap { reply in
                let row = reply.array ?? []
                return Self.position(row).flatMap { Self.letter(row, at: $0) }
            }.first
    }

    /// The limit within the range of `capture_dead_v2`.
    private static func deadLimit(_ limit: Int) -> Int { min(max(1, limit), DeadLetterPage.lettersMax) }

    /// The arguments of `capture_dead_v2`.
    static func deadPage(after place: DeadLetter.Position?, limit: Int) -> [RedisArgument] {
        [
            .integer(deadLimit(limit)),
            .string(place.map { String($0.diedAt.millisecondsSince1970) } ?? ""),
            .string(place?.capture.description ?? ""),
        ]
    }

    static func position(_ row: [RedisValue]) -> DeadLetter.Position? {
        guard row.count > 3, let capture = row[0].string.flatMap({ CaptureID($0) }),
            let time = row[1].string.flatMap({ Int64($0) })
        else { return nil }
        return DeadLetter.Position(diedAt: Timestamp(millisecondsSince1970: time), capture: capture)
    }

    /// Reads a dead letter; `nil` when its job is gone or cannot be read, which the doctor reports.
    private static func letter(_ row: [RedisValue], at position: DeadLetter.Position) -> DeadLetter? {
        JobFields(names: JobFields.dead, values: row.dropFirst(3)).deadLetter(
            position.capture, diedAt: position.diedAt, hasBytes: row[2].int == 1)
    }

    /// Puts a dead letter back at the end of its device's lane; `false` when there is none of this id.
    package func redrive(_ capture: CaptureID) async throws(QueueError) -> Bool {
        try await callEach("capture_redrive_v1", [.string(capture.description)]).contains { $0.int == 1 }
    }

    /// Puts a dead letter back as its row in the ledger has it; `false` when its device's partition has none of this id.
    package func redrive(as submission: CaptureSubmission) async throws(QueueError) -> Bool {
        let partition = keyspace.partition(of: submission.device)
        return try await call("capture_redrive_v2", in: partition, Self.arguments(of: submission)).int == 1
    }

    /// Deletes a dead letter and its bytes for good; `false` when there is none at this place.
    package func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool {
        let arguments: [RedisArgument] = [
            .string(letter.capture.description), .integer(Int(letter.diedAt.millisecondsSince1970)),
        ]
        return try await callEach("capture_discard_v1", arguments).contains { $0.int == 1 }
    }

    /// Tells all workers to claim nothing, or to go on.
    ///
    /// They finish their leased lanes either way. A partition that is paused already keeps the moment that it has.
    /// - Parameter since: The moment of a pause as the audit has it; `nil` if none was noted.
    package func setPaused(_ paused: Bool, since: Timestamp? = nil) async throws(QueueError) {
        // A resume is a plain command: every server takes it, even a full one or one without functions.
        guard paused else {
            _ = try await send(keyspace.all.map { RedisCommand("DEL", [.string($0.paused)]) })
            return
        }
        let moment = RedisArgument.string(since.map { String($0.microsecondsSince1970) } ?? "1")
        let calls = keyspace.all.map { FunctionCaller.command("capture_pause_v1", keys: [$0.ready], [moment]) }
        let replies = try await functions.client.replies(to: calls)
        _ = try replies.filter { !FunctionCaller.isMissingFunction($0) }.withoutErrors()
        // If a Redis has lost its functions, another program's next call loads them; a pause does not wait for that.
        let without = zip(keyspace.all, replies).filter { FunctionCaller.isMissingFunction($1) }.map(\.0)
        _ = try await send(without.map { RedisCommand("SET", [.string($0.paused), moment, "NX"]) })
    }

    /// The moments that the pauses of the partitions were noted at; none while nothing is paused, or of an older release.
    package func pausedSince() async throws(QueueError) -> Set<Timestamp> {
        let replies = try await send(keyspace.all.map { RedisCommand("GET", [.string($0.paused)]) })
        return Set(replies.compactMap(\.int).filter { $0 > 1 }.map { Timestamp(microsecondsSince1970: Int64($0)) })
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
