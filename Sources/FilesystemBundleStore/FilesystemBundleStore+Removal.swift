package import CaptureModel
package import CaptureQueue

/// How captures leave the store, and how those are found that have been left in it.
extension FilesystemBundleStore {
    /// Removes the folder of a capture that was not enqueued after all.
    package func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        try await removeSettled([submission.id])
    }

    /// Removes the folders of captures, as many at once as there are threads; one that cannot be removed, or does not
    /// answer, keeps none of the others.
    ///
    /// - Throws: The first fault when all were tried, or at once what keeps the whole directory from answering.
    package func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {
        try await remove(captures, unchangedSince: [:])
    }

    /// Removes the folders of captures as ``removeSettled(_:)`` does, but none that has been changed since it was looked at.
    package func removeOrphans(_ orphans: [UntouchedBytes]) async throws(QueueError) {
        let moments = Dictionary(orphans.map { ($0.capture, $0.touchedAt) }) { first, _ in first }
        try await remove(orphans.map(\.capture), unchangedSince: moments)
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
        throw QueueError(fault.code, "\(count) captures cannot be removed, first \(capture): \(fault.message)")
    }

    /// A call for each capture, so that one that hangs is told by its own id and costs no second thread.
    ///
    /// The answer is the capture's own fault.
    private func removal(
        of capture: CaptureID, unchangedSince moment: Duration?
    ) async -> Result<QueueError?, QueueError> {
        do throws(QueueError) {
            let fault = try await threads.run(.capture(capture), to: .change) { [directory] () throws(QueueError) in
                try directory.remove(capture, unchangedSince: moment)
            }
            return .success(fault.map { QueueError($0.queueError.code, $0.reason) })
        } catch {
            guard error.code == .outcomeUnknown else { return .failure(error) }
            // Where nothing answers, each of them would cost a thread and its time.
            do throws(QueueError) { try await prove() } catch { return .failure(error) }
            return .success(error)
        }
    }

    /// Notes in the folders of captures that nobody knows these.
    package func markUnknown(_ captures: [CaptureID]) async throws(QueueError) {
        try await changeEach(captures) { directory, capture throws(QueueError) in try directory.markUnknown(capture) }
    }

    /// Takes the note out of the folders of captures.
    package func unmarkUnknown(_ captures: [CaptureID]) async throws(QueueError) {
        try await changeEach(captures) { directory, capture throws(QueueError) in try directory.unmarkUnknown(capture) }
    }

    /// Changes one capture's folder after the other; one that cannot be changed keeps none of the others.
    ///
    /// - Throws: The first fault when all were tried, or at once that nothing answers.
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

    /// The next captures that have lain untouched, in the order of their folders, round and round.
    ///
    /// What cannot be looked at, on a disk that answers, is passed by.
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
                passedBy: found.fault.map { QueueError($0.queueError.code, "\(name): \($0.reason)") })
        } catch {
            guard error.code == .outcomeUnknown else { throw error }
            let fault = QueueError(error.code, "\(name): \(error.message)")
            page = SweepPage(captures: [], next: nextShard, passedBy: fault)
        }
        // Where nothing answers, it is not the shard that is passed by.
        if page.passedBy != nil { try await prove() }
        return page
    }
}
