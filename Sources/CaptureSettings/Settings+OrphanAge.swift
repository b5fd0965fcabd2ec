import CaptureModel

extension Settings {
    private typealias Wait = (time: Duration, words: String)

    /// Refuses to call bytes nobody's while an upload may still be on its way to the queue with them, or the reconciler
    /// may not yet have brought their capture there.
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

    /// What an upload may wait for from its first stored byte until the queue has its capture.
    private var uploadWaits: [Wait] {
        let question = duration(.gatewayServerTimeout)
        let areInFiles = bundleStore == .filesystem
        var waits: [Wait] = []
        // For a thread, and for the call itself.
        if areInFiles { waits.append((duration(.bundlesTimeout) * 2, "twice bundles.timeout")) }
        if durability == .ledger {
            waits.append((duration(.intakeWait), "intake.wait"))
            waits.append((duration(.intakeRestoreWait), "intake.restoreWait"))
        }
        // The queue is in Redis wherever the bytes are; a question with bytes has twice the time of another.
        let times = areInFiles ? "" : "three times "
        waits.append((areInFiles ? question : question * 3, "\(times)gateway.serverTimeout"))
        if durability == .replicated {
            waits.append((duration(.queueReplicaWait) * 3 / 2, "one and a half times queue.replicaWait"))
        }
        return waits
    }

    /// What the reconciler may leave a row's capture to: nobody, where there is no ledger.
    private var reconcilerWaits: [Wait] {
        guard durability == .ledger else { return [] }
        return [
            (duration(.intakeGrace) * 5 / 4, "five quarters of intake.grace"), (duration(.intakeWait), "intake.wait"),
        ]
    }
}
