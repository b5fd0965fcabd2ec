public import CaptureModel
public import CaptureQueue
import RedisClient

/// What the doctor goes by when it mends.
public struct MendingRules: Sendable {
    /// How long bytes without a job stay, and the age from which a dead letter without a job is taken off the list.
    public var orphanAge: Duration = .seconds(3_600)
    /// Bundles whose capture has a result: these are forgotten after the queue's time, others at once.
    public var settled: Set<CaptureID> = []

    /// The defaults.
    public init() {}
}

extension QueueDoctor {
    /// Mends what was found, as far as it is still so and may be mended; returns what was.
    ///
    /// Each is looked at again and mended in one step. Captures come before tokens: mending them may empty a lane. Levels
    /// are not among them, see ``recount(_:)``.
    public func mend(
        _ findings: [QueueFinding], _ rules: MendingRules = MendingRules()
    ) async throws(QueueError) -> [QueueFinding] {
        var mended: [QueueFinding] = []
        var lanes: [Int: Set<DeviceID>] = [:]
        var captures: Set<CaptureID> = []
        for finding in findings {
            let keys = queue.keyspace[finding.partition]
            switch finding.fault {
            case .laneWithoutToken, .laneWithTokens, .tokenWithoutLane, .tokenOutOfReach:
                if let device = DeviceID(finding.subject) { lanes[finding.partition, default: []].insert(device) }
            case .tokenWithoutDevice:
                let reply = try await ask("capture_mend_tokens_v1", keys, [[.string(finding.subject)]])
                if reply.first?.array?.isEmpty == false { mended.append(finding) }
            case .bundleOfNothing:
                if try await forget(finding, keys, rules) { mended.append(finding) }
            case .levelWrong: continue
            default:
                guard let capture = CaptureID(finding.subject), captures.insert(capture).inserted else { continue }
                let faults = try await mend(capture, finding, keys, rules)
                mended += findings.filter { $0.subject == finding.subject && faults.contains($0.fault) }
            }
        }
        for (partition, devices) in lanes {
            let faults = try await mendLanes(devices, in: queue.keyspace[partition])
            mended += findings.filter { faults[$0.subject]?.contains($0.fault) ?? false }
        }
        return mended
    }

    private func mend(
        _ capture: CaptureID, _ finding: QueueFinding, _ keys: PartitionKeys, _ rules: MendingRules
    ) async throws(QueueError) -> Set<QueueFault> {
        let reply = try await ask(
            "capture_mend_capture_v1", keys,
            [
                [
                    .string(capture.description), .string(finding.hint), .integer(max(1, rules.orphanAge.milliseconds)),
                    .integer(max(1, queue.configuration.statusLifetime.milliseconds)),
                ]
            ]
        )
        return Set((reply.first?.array ?? []).compactMap { $0.string.flatMap(QueueFault.init(rawValue:)) })
    }

    private func forget(
        _ finding: QueueFinding, _ keys: PartitionKeys, _ rules: MendingRules
    ) async throws(QueueError) -> Bool {
        let isSettled = CaptureID(finding.hint).map(rules.settled.contains) ?? false
        let later = isSettled ? max(1, queue.configuration.acceptedLifetime.milliseconds) : 0
        let reply = try await ask(
            "capture_mend_bundle_v1", keys, [[.string(finding.subject), .integer(later)]])
        return reply.first?.string != nil
    }

    /// Sees to it that these lanes have the token that they should have.
    func mendLanes(
        _ devices: Set<DeviceID>, in keys: PartitionKeys
    ) async throws(QueueError) -> [String: Set<QueueFault>] {
        var view = TokenView(keys)
        try await view.read(queue)
        var mended: [String: Set<QueueFault>] = [:]
        for device in devices {
            for _ in 0..<20 {
                try await view.catchUp(queue)
                let reply = try await ask(
                    "capture_mend_lane_v1", keys, [Self.laneArguments(device, view)])
                let faults = (reply.first?.array ?? []).compactMap(\.string)
                if faults == ["behind"] { continue }
                mended[device.description] = Set(faults.compactMap { QueueFault(rawValue: $0) })
                break
            }
        }
        return mended
    }
}

extension RedisCaptureQueue {
    /// Gives a token to lanes that have none, and returns how many they were.
    ///
    /// Only needed after the stream was deleted by hand or part of the data was lost: no transition leaves such a lane.
    /// It looks at every key of the server, in pages.
    @discardableResult
    public func repair() async throws(QueueError) -> Int {
        var added = 0
        for keys in keyspace.all {
            var lanes: Set<DeviceID> = []
            try await pages("SCAN", [], ["MATCH", .string(keys.lanePattern), "COUNT", 1000]) { found in
                lanes.formUnion(found.compactMap { $0.string.flatMap { keys.device(ofLane: $0) } })
            }
            guard !lanes.isEmpty else { continue }
            var view = TokenView(keys)
            try await view.read(self)
            let bare = lanes.filter { view.tokens[$0] == nil && !view.delayed.contains($0) }
            let mended = try await QueueDoctor(queue: self).mendLanes(bare, in: keys)
            added += mended.values.count { $0.contains(.laneWithoutToken) }
        }
        return added
    }
}

extension QueueExamination {
    /// The captures to which known bundles lead and of which there is nothing here.
    public var capturesOfNothing: [CaptureID] {
        findings.filter { $0.fault == .bundleOfNothing }.compactMap { CaptureID($0.hint) }
    }
}
