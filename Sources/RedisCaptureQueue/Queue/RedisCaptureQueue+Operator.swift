public import CaptureModel
public import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// How far into the dead letters a page may reach, as every partition is asked for all before it.
    static let deadLettersMax = 10_000

    public func deadLetters(offset: Int, limit: Int) async throws(QueueError) -> [JobStatus] {
        guard offset >= 0, limit > 0, offset <= Self.deadLettersMax, limit <= Self.deadLettersMax else { return [] }
        let replies = try await send(
            keyspace.all.map {
                RedisCommand("ZRANGE", [.string($0.dead), 0, .integer(offset + limit - 1), "WITHSCORES"])
            }
        )
        var letters: [(time: Double, capture: CaptureID)] = []
        for reply in replies {
            let texts = reply.array?.map { $0.string ?? "" } ?? []
            for index in stride(from: 0, to: texts.count - 1, by: 2) {
                guard let capture = CaptureID(texts[index]), let time = Double(texts[index + 1]) else { continue }
                letters.append((time, capture))
            }
        }
        letters.sort { ($0.time, $0.capture.description) < ($1.time, $1.capture.description) }
        return try await status(of: letters.dropFirst(offset).prefix(limit).map(\.capture)).compactMap { $0 }
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

    /// Gives a token to lanes that have none, and returns how many they were.
    ///
    /// Only needed after the stream was deleted by hand or part of the data was lost: no transition leaves such a lane.
    /// It looks at every key of the server.
    @discardableResult
    public func repair() async throws(QueueError) -> Int {
        var added = 0
        for keys in keyspace.all {
            var cursor = "0"
            repeat {
                let page = try await send([
                    RedisCommand("SCAN", [.string(cursor), "MATCH", .string(keys.lanePattern), "COUNT", 1000])
                ])
                guard let parts = page.first?.array, parts.count == 2, let next = parts[0].string else {
                    throw .malformed("SCAN")
                }
                cursor = next
                let devices = parts[1].array?.compactMap { $0.string.flatMap { keys.device(ofLane: $0) } } ?? []
                guard !devices.isEmpty else { continue }
                let arguments = devices.map { RedisArgument.string($0.description) }
                added += try await call("capture_repair_v1", in: keys, arguments).int ?? 0
            } while cursor != "0"
        }
        return added
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
