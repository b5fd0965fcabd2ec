package import CaptureModel
package import CaptureQueue
import RedisClient

extension RedisCaptureQueue: RestorableQueue {
    /// How many captures one call puts back at most: bounds the time that the server is busy.
    static let restoreCapturesMax = 64

    /// The number of the partition that a device's captures are in.
    package func partition(of device: DeviceID) -> Int { keyspace.partition(of: device).number }

    /// Where each partition stands, in order; throws the first refusal if there is no answer.
    package func restorations() async throws(QueueError) -> [Restoration] {
        let replies = try await askEach(.restoration, ["look", "", markLifetime])
        let refusals = try replies.refusals()
        if refusals.count == replies.count, let first = refusals[0] { throw first }
        var restorations: [Restoration] = []
        for (partition, reply) in replies.enumerated() {
            if let refusal = refusals[partition] {
                restorations.append(.refused(refusal))
            } else {
                restorations.append(try Self.restoration(reply))
            }
        }
        return restorations
    }

    private var markLifetime: RedisArgument { .integer(max(1, configuration.markLifetime.milliseconds)) }

    /// Tells of the partitions that refused when they were last restored or looked through.
    package func note(refused: [Int: QueueError]) { partitionRefusals.note(reconciliations: refused) }

    /// The partition's limits are written again first if they were lost with the other data.
    ///
    /// Only this partition's: each one that has lost data is begun separately, and there may be 1,024.
    package func beginRestoration(of partition: Int, mark: RestorationMark) async throws(QueueError) -> Restoration {
        try await keepLimits(of: partition)
        return try await restoration(partition, "begin", mark)
    }

    /// Ends a restoration, unless its mark was lost in the meantime; returns the partition's new state.
    package func finishRestoration(of partition: Int, mark: RestorationMark) async throws(QueueError) -> Restoration {
        try await restoration(partition, "finish", mark)
    }

    private func restoration(
        _ partition: Int, _ action: RedisArgument, _ mark: RestorationMark
    ) async throws(QueueError) -> Restoration {
        let reply = try await call(
            .restoration, in: keyspace[partition], [action, .string(mark.text), markLifetime]
        )
        return try Self.restoration(reply)
    }

    private static func restoration(_ reply: RedisValue) throws(QueueError) -> Restoration {
        guard let parts = reply.array, parts.count == 2, let phase = parts[0].string, let mark = parts[1].string else {
            throw .malformed(.restoration)
        }
        switch phase {
        case "unmarked": return .unmarked
        case "restoring": return .restoring(RestorationMark(text: mark))
        case "restored": return .restored(RestorationMark(text: mark))
        default: throw .malformed(.restoration)
        }
    }

    /// What the queue knows of captures, in the order asked.
    package func presence(
        of captures: [(capture: CaptureID, device: DeviceID)]
    ) async throws(QueueError) -> [Presence] {
        guard !captures.isEmpty else { return [] }
        let replies = try await replies(
            to: captures.flatMap { capture, device in
                let keys = keyspace.partition(of: device)
                return [
                    RedisCommand("HGET", [.string(keys.job(capture)), "state"]),
                    RedisCommand("EXISTS", [.string(keys.settled(capture))]),
                ]
            }
        )
        guard replies.count == 2 * captures.count else { throw .malformed("HGET") }
        let refusals = try replies.refusals()
        return captures.indices.map { index in
            if let refusal = refusals[2 * index] ?? refusals[2 * index + 1] { return .refused(refusal) }
            let (state, settled) = (replies[2 * index], replies[2 * index + 1])
            // A job with a state that is none of ours is a job all the same.
            guard state.isNull else { return state.string == CaptureState.failed.rawValue ? .dead : .known }
            return settled.int == 1 ? .settled : .unknown
        }
    }

    /// One call after the other: the next is sent only after the answer to the one before.
    package func restore(
        _ captures: [LostCapture], in partition: Int, under mark: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome] {
        var outcomes: [RestoreOutcome] = []
        var rest = captures[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.restoreCapturesMax)
            rest = rest.dropFirst(batch.count)
            // If the call fails after this, they are unknown, and the next look puts them back.
            try await forgetSettled(batch.filter(\.isCalledSettled).map { ($0.submission.id, partition) })
            let reply = try await call(
                .restore, in: keyspace[partition], [.string(mark.text)] + batch.flatMap(Self.arguments)
            )
            guard let answers = reply.array, answers.count == batch.count else {
                throw .malformed(.restore)
            }
            for answer in answers { outcomes.append(try Self.outcome(answer.string)) }
            let isHeld = outcomes.contains { if case .accepted = $0 { true } else { false } }
            if isHeld { return outcomes + rest.map { _ in .behind } }
        }
        return outcomes
    }

    /// Forgets that captures were settled; their bundles and bytes stay.
    func forgetSettled(_ captures: [(capture: CaptureID, partition: Int)]) async throws(QueueError) {
        guard !captures.isEmpty else { return }
        _ = try await send(
            captures.map { capture, partition in
                RedisCommand("UNLINK", [.string(keyspace[partition].settled(capture))])
            })
    }

    private static func arguments(of lost: LostCapture) -> [RedisArgument] {
        var arguments = arguments(of: lost.submission)
        if lost.isRedriven { arguments += ["redriven", 1] }
        if let other = lost.beside { arguments += ["beside", .string("\(other)")] }
        return [.integer(arguments.count)] + arguments
    }

    private static func outcome(_ answer: String?) throws(QueueError) -> RestoreOutcome {
        switch answer {
        case "restored": return .restored
        case "lost": return .lost
        case "known": return .known
        case "behind": return .behind
        case let fault? where fault.hasPrefix("INVALID"): return .invalid(fault)
        case let other?:
            return try otherCapture(other)
        case nil: throw .malformed(.restore)
        }
    }

    /// The answer about a capture whose bundle leads to another one: two words, its id and perhaps its time.
    private static func otherCapture(_ answer: String) throws(QueueError) -> RestoreOutcome {
        let words = answer.split(separator: " ").map(String.init)
        guard words.count >= 3, words[1] == "as", let capture = CaptureID(words[2]) else {
            throw .malformed(.restore)
        }
        if words[0] == "accepted", words.count == 3 { return .accepted(as: capture) }
        guard words[0] == "queued", words.count == 4, let time = Int64(words[3]) else {
            throw .malformed(.restore)
        }
        return .queued(as: capture, receivedAt: Timestamp(millisecondsSince1970: time))
    }
}
