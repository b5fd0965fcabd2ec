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
    /// A folder that does not answer, on a disk that does, is passed by.
    public func untouched(
        for age: Duration, after position: SweepPosition, limit: Int
    ) async throws(QueueError) -> SweepPage {
        let shard = position.part % BundleDirectory.shards.count
        let name = BundleDirectory.shards[shard]
        let nextShard = SweepPosition(part: (shard + 1) % BundleDirectory.shards.count)
        do throws(QueueError) {
            let found = try await threads.run(.shard(shard)) { [directory] () throws(QueueError) in
                try directory.captures(inShard: name, after: position.name, untouchedFor: age, limit: limit)
            }
            let next = found.last.map { SweepPosition(part: shard, name: $0) } ?? nextShard
            return SweepPage(captures: found.captures, next: next)
        } catch {
            guard error.code == .outcomeUnknown else { throw error }
            try await prove()
            let fault = QueueError(error.code, "\(name): \(error.message)")
            return SweepPage(captures: [], next: nextShard, passedBy: fault)
        }
    }
}
