import CaptureModel
import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// Looks for useless tokens, and for lanes without exactly one token.
    func examineTokens(
        _ view: inout TokenView, lanes: Set<DeviceID>, partition: Int, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        let keys = queue.keyspace[partition]
        guard examination.canRead(keys.ready, keys.delayed, lookingFor: .laneWithoutToken) else { return }
        for tokens in view.nameless.pages(of: Self.questionsMax) {
            let reply = try await ask(.examineTokens, keys, [tokens.map { .string($0) }])
            for token in reply.first?.array?.compactMap(\.string) ?? [] {
                examination.note(QueueFinding(.tokenWithoutDevice, token, partition: partition))
            }
        }
        let undecided = try await askLanes(
            .examineLane, Array(view.suspects(lanes: lanes)), keys, &view
        ) { device, faults in
            for fault in faults { examination.note(QueueFinding(fault, "\(device)", partition: partition)) }
        }
        examination.undecided += undecided
    }

    /// Asks about some lanes, many at once, and passes on the faults of each.
    /// - Returns: How many lanes stayed undecided: a queue so busy that the view is always behind is given up on after
    ///   20 rounds.
    func askLanes(
        _ function: QueueFunction, _ devices: [DeviceID], _ keys: PartitionKeys, _ view: inout TokenView,
        _ note: (DeviceID, [QueueFault]) -> Void
    ) async throws(QueueError) -> Int {
        var open = devices
        for _ in 0..<20 where !open.isEmpty {
            var behind: [DeviceID] = []
            for questions in open.pages(of: Self.questionsMax) {
                try await view.catchUp(queue)
                let arguments = questions.map { device in
                    [.string(device.description), .string(view.since)]
                        + view.tokens[device, default: []].map { RedisArgument.string($0) }
                }
                for (device, reply) in zip(questions, try await ask(function, keys, arguments)) {
                    let faults = reply.array?.compactMap(\.string) ?? []
                    if faults == ["behind"] { behind.append(device) }
                    note(device, faults.compactMap { QueueFault(rawValue: $0) })
                }
            }
            open = behind
        }
        return open.count
    }
}
