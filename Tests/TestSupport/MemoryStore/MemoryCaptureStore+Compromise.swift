package import CaptureModel
package import CaptureStore

/// What ``DeviceRegistry`` promises about compromised keys, in memory.
extension MemoryCaptureStore {
    /// Notes that a device's key may have been in other hands since a moment, and revokes the device from then on.
    package func compromise(
        _ device: DeviceID, since moment: Timestamp, reason: String, actor: String
    ) throws(StoreError) -> NotedCompromise? {
        try ping()
        // Whoever notes it may have a clock that is ahead.
        let moment = min(moment, time())
        guard let key = entries[device]?.device.keyID else { return nil }
        var concerned: Set = [device]
        for id in entries.filter({ $0.value.device.keyID == key }).keys {
            guard entries[id]?.compromise.map({ moment < $0.since }) ?? true else { continue }
            concerned.insert(id)
            entries[id]?.compromise = Compromise(since: moment, reason: reason, actor: actor)
            if entries[id]?.revocation.map({ moment < $0.at }) ?? true {
                entries[id]?.revocation = (moment, reason, actor)
            }
        }
        for id in concerned {
            audit.append(
                AuditEntry(
                    at: time(), actor: actor, action: .deviceCompromise, subject: "\(id)",
                    details: ["reason": reason, "since": moment.rfc3339]))
        }
        return NotedCompromise(affected: min(affected(by: device).count, DeviceTally.countMax))
    }

    /// The verified results of a compromised key since then, in the order of their receipt.
    package func affected(
        of device: DeviceID, after counter: UInt32, limit: Int
    ) throws(StoreError) -> [AffectedResult] {
        try ping()
        let results = affected(by: device)
        let last = results.filter { $0.counter <= counter }.max { $0.counter < $1.counter }
        let start = last.flatMap { results.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        return Array(results[start...].prefix(limit))
    }

    private func affected(by device: DeviceID) -> [AffectedResult] {
        guard let entry = entries[device], let since = entry.compromise?.since else { return [] }
        return records.values
            .filter { $0.keyID == entry.device.keyID && $0.verdict == .verified && $0.receivedAt >= since }
            .compactMap { result in
                result.counter.map {
                    AffectedResult(capture: result.id, counter: $0, receivedAt: result.receivedAt)
                }
            }
            .sorted { ($0.receivedAt, "\($0.capture)") < ($1.receivedAt, "\($1.capture)") }
    }

    /// The result with what was noted about its key afterwards.
    func marked(_ result: ProvenanceResult) -> ProvenanceResult {
        var result = result
        if let since = entries[result.device]?.compromise?.since, result.receivedAt >= since {
            result.compromisedSince = since
        }
        return result
    }
}
