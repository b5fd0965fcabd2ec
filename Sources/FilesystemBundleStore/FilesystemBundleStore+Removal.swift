public import CaptureModel
public import CaptureQueue

/// How captures leave the store, and how those are found that have been left in it.
extension FilesystemBundleStore {
    public func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        try await removeSettled([submission.id])
    }

    /// Removes the folders of captures; one that cannot be removed, or does not answer, keeps none of the others.
    public func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {
        guard let first = captures.first else { return }
        do throws(QueueError) {
            try await remove(captures, inCallOf: first)
        } catch {
            guard error.code == .outcomeUnknown, captures.count > 1 else { throw error }
            try await removeOneByOne(captures)
        }
    }

    /// Removes captures of which one hangs, each in a call of its own; throws the first fault when all were tried.
    private func removeOneByOne(_ captures: [CaptureID]) async throws(QueueError) {
        var fault: QueueError?
        for capture in captures {
            do throws(QueueError) {
                try await remove([capture], inCallOf: capture)
            } catch {
                fault = fault ?? error
                // Where nothing answers, each of them would cost a thread and its time.
                try await prove()
            }
        }
        if let fault { throw fault }
    }

    private func remove(_ captures: [CaptureID], inCallOf capture: CaptureID) async throws(QueueError) {
        try await threads.run(.removal(of: capture)) { [directory] () throws(QueueError) in
            try directory.remove(captures)
        }
    }

    /// The next captures that have lain untouched, in the order of their folders, round and round.
    ///
    /// What cannot be looked at, on a disk that answers, is passed by.
    public func untouched(
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
