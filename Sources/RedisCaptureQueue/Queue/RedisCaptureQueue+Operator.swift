public import CaptureModel
public import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    public func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> [DeadLetter] {
        let place: [RedisArgument] = [
            .integer(min(max(1, limit), 1000)),
            .string(after.map { String($0.diedAt.millisecondsSince1970) } ?? ""),
            .string(after?.capture.description ?? ""),
        ]
        var letters: [DeadLetter] = []
        for reply in try await callEach("capture_dead_v1", place) {
            letters += (reply.array ?? []).compactMap { letter($0.array ?? []) }
        }
        return Array(letters.sorted { $0.position < $1.position }.prefix(limit))
    }

    public func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter? {
        try await callEach("capture_dead_letter_v1", [.string(capture.description)]).lazy
            .compactMap { self.letter($0.array ?? []) }.first
    }

    /// A dead letter whose job is gone or cannot be read is the doctor's.
    private func letter(_ row: [RedisValue]) -> DeadLetter? {
        guard row.count > 3, let capture = row[0].string.flatMap({ CaptureID($0) }),
            let time = row[1].string.flatMap({ Double($0) })
        else { return nil }
        return JobFields(names: JobFields.dead, values: row.dropFirst(3)).deadLetter(
            capture, diedAt: Timestamp(millisecondsSince1970: Int64(time)), hasBytes: row[2].int == 1
        )
    }

    public func redrive(_ capture: CaptureID) async throws(QueueError) -> Bool {
        try await callEach("capture_redrive_v1", [.string(capture.description)]).contains { $0.int == 1 }
    }

    public func discard(_ capture: CaptureID) async throws(QueueError) -> Bool {
        try await callEach("capture_discard_v1", [.string(capture.description)]).contains { $0.int == 1 }
    }

    /// Tells all workers to claim nothing, or to go on.
    ///
    /// What they have in hands is finished either way.
    public func setPaused(_ paused: Bool) async throws(QueueError) {
        _ = try await send(
            keyspace.all.map {
                paused ? RedisCommand("SET", [.string($0.paused), "1"]) : RedisCommand("DEL", [.string($0.paused)])
            }
        )
    }

    /// The time by the server's clock, which leases and delays go by.
    public func serverTime() async throws(QueueError) -> Timestamp {
        let parts = (try await send([RedisCommand("TIME")])[0].array ?? []).compactMap(\.int)
        guard parts.count == 2 else { throw .malformed("TIME") }
        return Timestamp(microsecondsSince1970: Int64(parts[0]) * 1_000_000 + Int64(parts[1]))
    }

    /// The counters since the queue was made, by name, summed over the partitions: `accepted`, `duplicates`, `refused`,
    /// `verified`, `rejected`, `failed`, `taken_over`, `redriven`, `discarded`, and the levels `queued`, `bytes` and
    /// `dead_bytes`.
    public func counters() async throws(QueueError) -> [String: Int] {
        var totals: [String: Int] = [:]
        for reply in try await send(keyspace.all.map { RedisCommand("HGETALL", [.string($0.stats)]) }) {
            let fields = reply.array ?? []
            for index in stride(from: 0, to: fields.count - 1, by: 2) {
                guard let name = fields[index].string, let value = fields[index + 1].int else { continue }
                totals[name, default: 0] += value
            }
        }
        return totals
    }
}
