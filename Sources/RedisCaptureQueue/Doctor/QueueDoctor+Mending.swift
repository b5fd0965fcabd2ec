package import CaptureModel
package import CaptureQueue
import RedisClient

/// The rules by which the doctor mends.
package struct MendingRules: Sendable {
    /// How long bytes without a job stay, and the age from which a dead letter without a job is taken off the list.
    package var orphanAge: Duration = .seconds(3_600)
    /// Captures that have a result: their bundles are forgotten after `queue.acceptedRetention`, others at once.
    package var settled: Set<CaptureID> = []

    /// The defaults.
    package init() {}
}

extension QueueDoctor {
    /// Mends the findings that still hold and may be mended, until it is told to stop.
    ///
    /// Each is checked again and mended in one atomic step. Captures come before tokens, as mending them may empty a
    /// lane. Levels are not mended here, see ``recount(_:)``. Nothing is mended in a partition that has a key of
    /// another type, of those that it has only one of: a function that meets it would stop half-way.
    /// - Parameters:
    ///   - mending: Gets what became of them, also if a fault ends it.
    ///   - isStopped: Asked before each page: once it is true, the rest is left alone.
    package func mend(
        _ findings: [QueueFinding], _ rules: MendingRules = MendingRules(), into mending: inout Mending,
        until isStopped: () -> Bool = { false }
    ) async throws(QueueError) {
        for (partition, findings) in Dictionary(grouping: findings, by: \.partition) where !isStopped() {
            let keys = queue.keyspace[partition]
            guard try await wrongKeys(of: keys).isEmpty else { continue }
            let kinds = Dictionary(grouping: findings, by: \.fault.kind)
            var view = TokenView(keys)
            for kind in QueueFault.Kind.allCases {
                guard let found = kinds[kind] else { continue }
                if kind == .lane, !isStopped() { try await view.read(queue) }
                try await mending.mend(found, until: isStopped) { (page) async throws(QueueError) in
                    try await mend(page, of: kind, keys, rules, &view)
                }
            }
        }
    }

    /// Mends a page of findings of one kind, and returns those that were mended.
    private func mend(
        _ page: [QueueFinding], of kind: QueueFault.Kind, _ keys: PartitionKeys, _ rules: MendingRules,
        _ view: inout TokenView
    ) async throws(QueueError) -> [QueueFinding] {
        switch kind {
        case .end: return try await mendEnds(page)
        case .token: return try await mendTokens(page, keys)
        case .bundle: return try await forget(page, keys, rules)
        case .member: return try await mendMembers(page)
        case .entry: return try await mendEntries(page)
        case .strayEntry: return try await mendStrayEntries(page, keys)
        case .capture: return try await mendCaptures(page, keys, rules)
        case .head: return try await mendHeads(page, keys)
        case .lane:
            let devices = Set(page.compactMap { DeviceID($0.subject) })
            return Self.those(of: page, in: try await mendLanes(devices, keys, &view))
        case .key, .place, .level: return []
        }
    }

    private func mendTokens(
        _ findings: [QueueFinding], _ keys: PartitionKeys
    ) async throws(QueueError) -> [QueueFinding] {
        let reply = try await ask(.mendTokens, keys, [findings.map { .string($0.subject) }])
        let removed = Set(reply.first?.array?.compactMap(\.string) ?? [])
        return findings.filter { removed.contains($0.subject) }
    }

    private func forget(
        _ findings: [QueueFinding], _ keys: PartitionKeys, _ rules: MendingRules
    ) async throws(QueueError) -> [QueueFinding] {
        let later = max(1, queue.configuration.acceptedRetention.milliseconds)
        let arguments = findings.map { finding in
            let isSettled = CaptureID(finding.hint).map(rules.settled.contains) ?? false
            return [RedisArgument.string(finding.subject), .integer(isSettled ? later : 0)]
        }
        let replies = try await ask(.mendBundle, keys, arguments)
        return zip(findings, replies).filter { !$1.isNull }.map(\.0)
    }

    /// Mends each capture once, even if it has several faults.
    private func mendCaptures(
        _ findings: [QueueFinding], _ keys: PartitionKeys, _ rules: MendingRules
    ) async throws(QueueError) -> [QueueFinding] {
        let (orphans, status) = (rules.orphanAge.milliseconds, queue.configuration.statusRetention.milliseconds)
        let hints = Array(Dictionary(findings.map { ($0.subject, $0.hint) }) { $0.isEmpty ? $1 : $0 })
        let arguments = hints.map { capture, hint in
            [RedisArgument.string(capture), .string(hint), .integer(max(1, orphans)), .integer(max(1, status))]
        }
        var faults: [String: Set<QueueFault>] = [:]
        for (entry, reply) in zip(hints, try await ask(.mendCapture, keys, arguments)) {
            faults[entry.key] = Set(reply.array?.compactMap { $0.string.flatMap(QueueFault.init(rawValue:)) } ?? [])
        }
        return Self.those(of: findings, in: faults)
    }

    /// Mends the tokens of these lanes; returns the faults of each.
    func mendLanes(
        _ devices: Set<DeviceID>, _ keys: PartitionKeys, _ view: inout TokenView
    ) async throws(QueueError) -> [String: Set<QueueFault>] {
        var mended: [String: Set<QueueFault>] = [:]
        _ = try await askLanes(.mendLane, Array(devices), keys, &view) { device, faults in
            mended[device.description] = Set(faults)
        }
        return mended
    }

    private static func those(
        of findings: [QueueFinding], in mended: [String: Set<QueueFault>]
    ) -> [QueueFinding] {
        findings.filter { mended[$0.subject]?.contains($0.fault) ?? false }
    }
}

extension QueueExamination {
    /// The unknown captures to which known bundles lead.
    package var capturesOfNothing: [CaptureID] {
        findings.filter { $0.fault == .bundleOfNothing }.compactMap { CaptureID($0.hint) }
    }
}
