import CaptureModel
package import CaptureQueue
import RedisClient

extension RedisCaptureQueue: OperatedQueue {
    /// How many spans the last minute, hour and day have: the whole ones, and the running one.
    private static let (minutesOfMinute, minutesOfHour, hoursOfDay) = (1 + 1, 60 + 1, 24 + 1)

    /// How full the queue is, who works it and what became of the latest captures.
    package func overview() async throws(QueueError) -> QueueOverview {
        let minutes = try await tallies(.minute, count: Self.minutesOfHour)
        let hours = try await tallies(.hour, count: Self.hoursOfDay)
        let day = Self.sum(hours[...])
        let since = try await dataSince()
        return QueueOverview(
            load: try await load(), workers: try await workers(),
            lastMinute: Self.sum(minutes.suffix(Self.minutesOfMinute)),
            lastHour: Self.sum(minutes[...]), lastDay: day,
            countedSince: since.flatMap { $0 > day.start ? $0 : nil })
    }

    /// Since when the server has data of the queue: the earliest moment of a partition, as its restoration noted it.
    ///
    /// A server loses the data of all partitions at once: one that is younger than another came with a change of their
    /// number, and what was counted before is there. Nothing is known of a partition that refuses, nor of a queue with
    /// one that is older than its ledger.
    private func dataSince() async throws(QueueError) -> Timestamp? {
        let replies = try await replies(to: keyspace.all.map { RedisCommand("GET", [.string($0.restored)]) })
        var earliest: Int64?
        for text in replies.compactMap(\.string) {
            guard let moment = text.split(separator: ":").dropFirst(2).first.flatMap({ Int64($0) }) else { return nil }
            earliest = min(earliest ?? moment, moment)
        }
        return earliest.map { Timestamp(millisecondsSince1970: $0) }
    }

    private static func sum(_ tallies: ArraySlice<Tally>) -> Tally {
        // There is always the running span.
        Tally.sum(Array(tallies)) ?? Tally(start: Timestamp(microsecondsSince1970: 0), duration: .zero)
    }

    /// The latest spans, oldest first, the running one last; empty ones are there, too.
    ///
    /// Partitions that refuse are left out as long as another answers.
    package func tallies(_ span: Tally.Span, count: Int) async throws(QueueError) -> [Tally] {
        let now = try await serverTime()
        let length = span.duration.milliseconds
        let last = Int(now.millisecondsSince1970) / length
        let numbers = (last - min(max(1, count), span.countMax) + 1)...last
        let partitions = keyspace.all
        let commands = numbers.flatMap { number in
            partitions.map { RedisCommand("HGETALL", [.string($0.tally(span, number))]) }
        }
        let replies = try await replies(to: commands)
        let refusals = try replies.refusals()
        if refusals.count == replies.count, let first = refusals[0] { throw first }
        return numbers.enumerated().map { index, number in
            let start = Timestamp(millisecondsSince1970: Int64(number * length))
            var tally = Tally(start: start, duration: number == last ? now.since(start) : span.duration)
            for reply in replies[index * partitions.count..<(index + 1) * partitions.count] { tally.add(fields: reply) }
            return tally
        }
    }

    /// The workers that the first partition knows by their signs of life, with their leased lanes in all partitions.
    ///
    /// A partition that refuses is left out, unless it is the first: without that one no worker would be known.
    private func workers() async throws(QueueError) -> [WorkerStatus] {
        var lanes: [String: Int] = [:]
        var rows: [[RedisValue]] = []
        let replies = try await askEach(.workers)
        if let refusal = try replies.refusals()[0] { throw refusal }
        for reply in replies {
            for row in reply.array ?? [] {
                guard let row = row.array, let name = row.first?.string else { continue }
                if row.count == 2 {
                    lanes[name] = (lanes[name] ?? 0).addingClamped(row[1].int ?? 0)
                } else {
                    rows.append(row)
                }
            }
        }
        return rows.compactMap { row in
            guard row.count == 4, let name = row[0].string, let version = row[1].string, let started = row[2].int,
                let silence = row[3].int
            else { return nil }
            return WorkerStatus(
                name: name, version: version, startedAt: Timestamp(millisecondsSince1970: Int64(started)),
                silence: .milliseconds(silence), leasedLanes: lanes[name] ?? 0)
        }.sorted { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) }
    }

    /// A worker's sign of life.
    func signOfLife(startedAt: Timestamp) -> RedisCommand {
        FunctionCaller.command(
            .present, keys: [keyspace[0].ready],
            [
                .string(consumer), .string(ProcessorVersion.current),
                .string(String(startedAt.millisecondsSince1970)),
            ])
    }
}

extension Tally {
    /// More than any span counts, and small enough that the sum over all spans and partitions cannot overflow.
    private static let countMax = 1 << 36

    /// Adds the counts of a partition, which are names and numbers in turn.
    ///
    /// Names of later releases and damaged numbers are skipped; a reason of theirs counts, as in the record.
    fileprivate mutating func add(fields reply: RedisValue) {
        for (name, value) in (reply.array ?? []).pairs {
            guard let count = value.int, (0...Self.countMax).contains(count) else { continue }
            switch name {
            case "accepted": accepted += count
            case "verified": verified += count
            case "rejected": rejected += count
            case "failed": failed += count
            default:
                let parts = name.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { continue }
                if parts[0] == "reason" {
                    // Many names may be of one that is not known.
                    let reason = Reason(recorded: String(parts[1]))
                    reasons[reason] = min(reasons[reason, default: 0] + count, Self.countMax)
                } else if parts[0] == "latency", let step = Int(parts[1]) {
                    latencies.add(count, step: step)
                }
            }
        }
    }
}
