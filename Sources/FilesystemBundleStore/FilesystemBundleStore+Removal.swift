package import CaptureModel
package import CaptureQueue

/// Removes captures, and finds those that were left behind.
extension FilesystemBundleStore {
    /// Removes the folder of a capture that was not enqueued after all.
    package func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        try await removeSettled([submission.id])
    }

    /// Removes the folders of captures, as many at once as there are threads.
    ///
    /// A capture that cannot be removed, or does not answer, keeps no other from being removed.
    /// - Throws: The first fault after all were tried, or at once a fault of the whole directory.
    package func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {
        try await remove(captures, unchangedSince: [:])
    }

    /// Removes captures like ``removeSettled(_:)``, but none whose folder has changed since it was looked at.
    package func removeOrphans(_ orphans: [UntouchedBytes]) async throws(QueueError) {
        let moments = Dictionary(orphans.map { ($0.capture, $0.touchedAt) }) { first, _ in first }
        try await remove(orphans.map(\.capture), unchangedSince: moments)
    }

    /// Looks at a capture's folder; one that is made or changed after that stays.
    package func removal(of capture: CaptureID) async throws(QueueError) -> BundleRemoval {
        let moment = try await threads.run(.capture(capture)) { [directory] () throws(QueueError) in
            try directory.changed(capture)
        }
        guard let moment else { return { () async throws(QueueError) in } }
        return { () async throws(QueueError) in try await remove([capture], unchangedSince: [capture: moment]) }
    }

    private func remove(
        _ captures: [CaptureID], unchangedSince moments: [CaptureID: Duration]
    ) async throws(QueueError) {
        let answers = try await answers(about: captures) { capture in
            await removal(of: capture, unchangedSince: moments[capture])
        }
        let faults = zip(captures, answers).compactMap { capture, fault in fault.map { (capture, fault: $0) } }
        guard let (capture, fault) = faults.first else { return }
        let count = "\(faults.count) of \(captures.count)"
        throw QueueError(
            fault.code, "\(count) captures cannot be removed, first \(capture): \(fault.message)", of: .bundles)
    }

    /// Removes one capture in a call of its own, so that a hanging one has its own subject and costs no second thread.
    ///
    /// - Returns: The capture's own fault, `nil` if it was removed; as a failure, a fault of the whole directory.
    private func removal(
        of capture: CaptureID, unchangedSince moment: Duration?
    ) async -> Result<QueueError?, QueueError> {
        do throws(QueueError) {
            let fault = try await threads.run(.capture(capture), to: .change) { [directory] () throws(QueueError) in
                try directory.remove(capture, unchangedSince: moment)
            }
            return .success(fault.map { QueueError($0.bundleFault.code, $0.reason, of: .bundles) })
        } catch {
            guard error.code == .outcomeUnknown else { return .failure(error) }
            // If the disk does not answer, each further capture would cost a thread and its time.
            do throws(QueueError) { try await prove() } catch { return .failure(error) }
            return .success(error)
        }
    }

    /// Marks captures as known to nobody.
    package func markUnknown(_ captures: [CaptureID]) async throws(QueueError) {
        try await changeEach(captures) { directory, capture throws(QueueError) in try directory.markUnknown(capture) }
    }

    /// Removes the marks of unknown captures.
    package func unmarkUnknown(_ captures: [CaptureID]) async throws(QueueError) {
        try await changeEach(captures) { directory, capture throws(QueueError) in try directory.unmarkUnknown(capture) }
    }

    /// Changes the captures' folders one by one; a failed change does not stop the others.
    ///
    /// - Throws: The first fault after all were tried, or at once that a call was not answered.
    private func changeEach(
        _ captures: [CaptureID],
        _ change: @escaping @Sendable (BundleDirectory, CaptureID) throws(QueueError) -> Void
    ) async throws(QueueError) {
        var first: QueueError?
        for capture in captures {
            do throws(QueueError) {
                try await threads.run(.capture(capture), to: .change) { [directory] () throws(QueueError) in
                    try change(directory, capture)
                }
            } catch {
                guard error.code != .outcomeUnknown else { throw error }
                first = first ?? error
            }
        }
        if let first { throw first }
    }

    /// The next captures that have lain untouched, in the order of their folders, starting over after the last one.
    ///
    /// If the disk answers, what cannot be read is skipped.
    package func untouched(
        for age: Duration, after position: SweepPosition, limit: Int
    ) async throws(QueueError) -> SweepPage {
        let shard = position.part % BundleDirectory.shards.count
        let name = BundleDirectory.shards[shard]
        let nextShard = SweepPosition(part: (shard + 1) % BundleDirectory.shards.count)
        let page: SweepPage
        do throws(QueueError) {
            let found = try await threads.run(.shard(shard)) { [directory] () throws(QueueError) in
                try directory.captures(inShard: name, after: position.name, untouchedFor: age, limit: limit)
            }
            page = SweepPage(
                captures: found.captures, next: found.last.map { SweepPosition(part: shard, name: $0) } ?? nextShard,
                passedBy: found.fault.map {
                    QueueError($0.bundleFault.code, "\(name): \($0.reason)", of: .bundles)
                })
        } catch {
            guard error.code == .outcomeUnknown else { throw error }
            let fault = QueueError(error.code, "\(name): \(error.message)", of: .bundles)
            page = SweepPage(captures: [], next: nextShard, passedBy: fault)
        }
        // If the disk does not answer, the fault is not the shard's.
        if page.passedBy != nil { try await prove() }
        return page
    }
}
