import CaptureModel

extension Settings {
    private typealias Wait = (time: Duration, words: String)

    /// Refuses an orphan age at which bytes may be removed before their capture is queued.
    ///
    /// An upload may still be waiting to queue it, or the reconciler may not have queued it yet.
    func requireAgeOfOrphans() throws(SettingsError) {
        for waits in [uploadWaits, reconcilerWaits] {
            let age = waits.reduce(Duration.zero) { $0 + $1.time }
            guard orphanAge <= age else { continue }
            let words = waits.map(\.words)
            let list = [words.dropLast().joined(separator: ", "), words.last ?? ""].filter { !$0.isEmpty }
            throw SettingsError(
                "\(Setting.bundlesOrphanAge.key): takes more than \(SettingDuration.write(age)): "
                    + list.joined(separator: " and "))
        }
    }

    /// The times that an upload may wait from its first stored byte until the queue has its capture.
    private var uploadWaits: [Wait] {
        let question = duration(.gatewayServerTimeout)
        let areInFiles = bundleStore == .filesystem
        var waits: [Wait] = []
        // Once for a thread, and once for the call itself.
        if areInFiles { waits.append((duration(.bundlesTimeout) * 2, "twice bundles.timeout")) }
        if durability == .ledger {
            waits.append((duration(.intakeWait), "intake.wait"))
            waits.append((duration(.intakeRestoreWait), "intake.restoreWait"))
        }
        // The queue is always in Redis; a request with bytes has twice the time of another.
        let times = areInFiles ? "" : "three times "
        waits.append((areInFiles ? question : question * 3, "\(times)gateway.serverTimeout"))
        if durability == .replicated {
            waits.append((duration(.queueReplicaWait) * 3 / 2, "one and a half times queue.replicaWait"))
        }
        return waits
    }

    /// The times after which the reconciler has queued the capture of a row; empty without a ledger.
    private var reconcilerWaits: [Wait] {
        guard durability == .ledger else { return [] }
        // A row is looked for once it is as old as the grace, and then within a quarter of it. If the gateway whose turn
        // it is stands still, another one leaves the look to it for as long as the grace, and notices both the beginning
        // and the end of that time at one of its intervals.
        return [
            (duration(.intakeGrace) * 9 / 4, "nine quarters of intake.grace"), (duration(.intakeWait), "intake.wait"),
            (duration(.intakeInterval) * 2, "twice intake.interval"),
        ]
    }
}
