package import CaptureModel
package import CaptureQueue
import RedisClient

extension RedisCaptureQueue {
    /// A dead letter's place and the row that tells of it.
    private typealias DeadRow = (position: DeadLetter.Position, values: [RedisValue])

    /// Dead letters of all partitions, oldest first, after a place in their order.
    package func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
        let limit = Self.deadLimit(limit)
        let replies = try await callEach(.dead, Self.deadPage(after: after, limit: limit))
        var rows: [DeadRow] = []
        for (keys, reply) in zip(keyspace.all, replies) {
            rows += try await deadRows(from: reply, in: keys, after: after, limit: limit)
        }
        let found = rows.sorted { $0.position < $1.position }.prefix(limit)
        return DeadLetterPage(
            letters: found.compactMap { Self.letter($0.values, at: $0.position) },
            // Every partition was asked for `limit`: if there are fewer in all, there are no more.
            next: rows.count < limit ? nil : found.last?.position
        )
    }

    /// The places of up to `limit` dead letters of a partition after `place`, in order.
    package func deadLetterPlaces(
        in partition: Int, after place: DeadLetter.Position?, limit: Int
    ) async throws(QueueError) -> [DeadLetter.Position] {
        let keys = keyspace[partition]
        let limit = Self.deadLimit(limit)
        let reply = try await call(.dead, in: keys, Self.deadPage(after: place, limit: limit))
        return try await deadRows(from: reply, in: keys, after: place, limit: limit).map(\.position).sorted()
    }

    /// The dead letter of a capture; `nil` when there is none of this id.
    package func deadLetter(_ capture: CaptureID) async throws(QueueError) -> DeadLetter? {
        try await callEach(.deadLetter, [.string(capture.description)]).lazy
            .compactMap { reply in
                let row = reply.array ?? []
                return Self.position(row).flatMap { Self.letter(row, at: $0) }
            }.first
    }

    /// The place after which the newest `count` dead letters come; `nil` when there are no more than these.
    ///
    /// A partition whose list is no list is passed over: ``deadLetters(after:limit:)`` says what is wrong with it.
    package func deadLetterPlace(beforeNewest count: Int) async throws(QueueError) -> DeadLetter.Position? {
        let commands = keyspace.all.map {
            RedisCommand("ZRANGE", [.string($0.dead), 0, .integer(count), "REV", "WITHSCORES"])
        }
        let replies = try await replies(to: commands)
        _ = try replies.refusals()
        let places = replies.flatMap { reply in (reply.array ?? []).pairs.compactMap { Self.place($0.name, $0.value) } }
        return places.sorted { $1 < $0 }.dropFirst(count).first
    }

    /// The latest time that a place has: `DIED_AT_MAX` of the functions.
    private static let diedAtMax = Double(LuaInteger.exactMax)

    /// A place by its member and score, as the functions read these; `nil` for a member that is no id.
    private static func place(_ member: String, _ score: RedisValue) -> DeadLetter.Position? {
        guard let capture = CaptureID(member), let score = score.string.flatMap({ Double($0) }), !score.isNaN
        else { return nil }
        let time = Int64(min(max(score.rounded(.down), 0), diedAtMax))
        return DeadLetter.Position(diedAt: Timestamp(millisecondsSince1970: time), capture: capture)
    }

    /// Up to `limit` dead letters of a partition after a place, of a reply and those that follow it.
    ///
    /// A call that meets thousands of members that are no ids ends before it has found as many letters as it was asked
    /// for, so that it holds up nobody, and tells in a row of two where the next goes on.
    private func deadRows(
        from first: RedisValue, in keys: PartitionKeys, after: DeadLetter.Position?, limit: Int
    ) async throws(QueueError) -> [DeadRow] {
        var (rows, reply, asked): ([DeadRow], RedisValue, Int) = ([], first, limit)
        var place: [RedisValue] = []
        while true {
            let page = (reply.array ?? []).map { $0.array ?? [] }
            for row in page {
                // So that lists end: times written over by hand may not be in the order of places.
                guard let position = Self.position(row), after.map({ $0 < position }) ?? true else { continue }
                rows.append((position, row))
            }
            guard rows.count < limit, let last = page.last, page.count >= asked || last.count == 2,
                let member = last.first?.buffer, let time = last.dropFirst().first?.string
            else { return rows }
            // A queue that answers what it has answered before would be asked for ever.
            guard last != place else { return rows }
            (place, asked) = (last, limit - rows.count)
            reply = try await call(.dead, in: keys, [.integer(asked), .string(time), .buffer(member)])
        }
    }

    /// The limit within the range of `capture_dead_v1`.
    private static func deadLimit(_ limit: Int) -> Int { min(max(1, limit), DeadLetterPage.lettersMax) }

    /// The arguments of `capture_dead_v1`.
    private static func deadPage(after place: DeadLetter.Position?, limit: Int) -> [RedisArgument] {
        [
            .integer(limit), .string(place.map { String($0.diedAt.millisecondsSince1970) } ?? ""),
            .string(place?.capture.description ?? ""),
        ]
    }

    private static func position(_ row: [RedisValue]) -> DeadLetter.Position? {
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
}
