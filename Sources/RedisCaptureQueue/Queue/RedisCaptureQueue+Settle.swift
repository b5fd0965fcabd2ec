import CaptureModel
package import CaptureQueue
import FaultPoints
import Logging
import RedisClient

extension RedisCaptureQueue {
    /// Gives lanes back, and stops renewing those whose answer has come.
    ///
    /// A lane without an answer stays leased until it is settled again or abandoned, so that no claim takes its token
    /// for one of a lost answer.
    package func settle(_ settlements: [LaneSettlement]) async throws(QueueError) -> [SettleOutcome] {
        leases.beginSettling(settlements.map(\.token))
        var outcomes = [SettleOutcome](repeating: .fenced, count: settlements.count)
        let batches = batches(of: settlements)
        let calls = batches.map { command($0.map { settlements[$0] }) }
        let replies = try await functions.callAll(calls) { [faults] in faults.reach(.insideSettle) }
        var failures: [QueueError] = []
        for (indices, reply) in zip(batches, replies) {
            guard let answers = reply.array, answers.count == indices.count else {
                let refusal = reply.error.map { QueueError(RedisError($0)) }
                let fault = refusal ?? QueueError.malformed(.settle)
                failures.append(fault)
                for index in indices { outcomes[index] = .failed(fault) }
                continue
            }
            leases.release(indices.map { settlements[$0].token })
            for (index, answer) in zip(indices, answers) {
                outcomes[index] = outcome(answer.string, of: settlements[index])
            }
        }
        guard failures.count == batches.count, let first = failures.first else { return outcomes }
        // A transient one if there is any: then the caller tries again, which may settle its lanes.
        throw failures.first(where: \.isTransient) ?? first
    }

    /// The settlements by partition, in batches of one call each.
    private func batches(of settlements: [LaneSettlement]) -> [[Int]] {
        var byPartition: [Int: [Int]] = [:]
        for (index, settlement) in settlements.enumerated() {
            byPartition[settlement.token.partition, default: []].append(index)
        }
        return byPartition.values.flatMap { $0.pages(of: configuration.settleLanesMax) }
    }

    private func outcome(_ answer: String?, of settlement: LaneSettlement) -> SettleOutcome {
        switch answer {
        case "settled": return .settled
        case "fenced": return .fenced
        case "mismatch":
            logger.critical(
                "a settlement does not fit the head of its lane and was not done",
                metadata: ["device_id": "\(settlement.device)"])
            return .mismatch
        default: return .failed(.malformed(.settle))
        }
    }

    private func command(_ settlements: [LaneSettlement]) -> RedisCommand {
        var arguments: [RedisArgument] = [
            .string(consumer), .integer(max(1, configuration.statusRetention.milliseconds)),
        ]
        for settlement in settlements { arguments += settlement.arguments }
        let keys = settlements.first.map { [keyspace[$0.token.partition].ready] } ?? []
        return FunctionCaller.command(.settle, keys: keys, arguments)
    }
}

extension LaneSettlement {
    /// As `capture_settle_v1` reads it.
    fileprivate var arguments: [RedisArgument] {
        var arguments: [RedisArgument] = [.string(token.text), .string(device.description)]
        switch continuation {
        case .ready: arguments += ["ready", 0, ""]
        case .delayed(let delay, let reason, let fault, let isAttempt):
            arguments += [
                isAttempt ? "delayed" : "postponed", .integer(delay.milliseconds),
                .string(FaultText(reason: reason, fault: fault).text),
            ]
        case .handedBack: arguments += ["handed_back", 0, ""]
        }
        arguments.append(.integer(items.count))
        for item in items { arguments += item.arguments }
        return arguments
    }
}

extension LaneSettlement.Item {
    fileprivate var arguments: [RedisArgument] {
        switch disposition {
        case .settled(let decision):
            [
                .string(id.description), .string(decision.verdict.rawValue), .string(decision.reason?.rawValue ?? ""),
                "",
            ]
        case .dead(let reason, let fault):
            [.string(id.description), "dead", .string(reason.rawValue), .string(fault)]
        }
    }
}
