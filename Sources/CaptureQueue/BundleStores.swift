package import CaptureModel

/// The stores that a program is configured for: new bytes go to one, and each capture's are fetched where its job says.
///
/// So a queue that holds captures of two stores, after the setting was changed, is drained by the same workers.
package struct BundleStores: BundleStore {
    private let primary: any BundleStore
    private let stores: [BundleStoreName: any BundleStore]
    private let isOpen: @Sendable () -> Bool

    /// Names the stores.
    /// - Parameters:
    ///   - primary: Where new bytes go.
    ///   - others: Where bytes may be besides.
    ///   - isOpen: Whether new bytes are taken by now: not before it is known that they would be kept.
    package init(
        primary: any BundleStore, others: [any BundleStore] = [], isOpen: @escaping @Sendable () -> Bool = { true }
    ) {
        self.primary = primary
        self.isOpen = isOpen
        stores = Dictionary((others + [primary]).map { ($0.name, $0) }) { _, last in last }
    }

    /// The name of the one that new bytes go to.
    package var name: BundleStoreName { primary.name }

    /// Those of the jobs that refer to one of them.
    package func holds(_ store: BundleStoreName) -> Bool { stores[store] != nil }

    /// Stores bytes where the submission says.
    package func put(_ bundle: CaptureBundle, of submission: CaptureSubmission) async throws(QueueError) {
        guard isOpen() else { throw QueueError(.busy, "the servers' settings have not been looked at yet") }
        try await store(of: submission).put(bundle, of: submission)
    }

    /// Fetches from each store what it has, one store after another.
    ///
    /// Bytes in a store that is not configured here are not gone: their captures are put off.
    package func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedBundle] {
        var fetched = submissions.map { FetchedBundle.unreadable(Self.notConfigured($0.bundleStore)) }
        for (name, store) in stores {
            let indices = submissions.indices.filter { submissions[$0].bundleStore == name }
            guard !indices.isEmpty else { continue }
            let found = try await store.fetch(indices.map { submissions[$0] })
            guard found.count == indices.count else {
                throw QueueError(.malformedReply, "the bundle store \(name) answered in part")
            }
            for (index, bundle) in zip(indices, found) { fetched[index] = bundle }
        }
        return fetched
    }

    /// Removes the bytes of a capture that was not enqueued after all, from the store that it names.
    package func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        try await store(of: submission).remove(submission)
    }

    /// Removes them from every store: at the most one has them, or another one that is not configured here.
    package func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {
        for store in stores.values { try await store.removeSettled(captures) }
    }

    private func store(of submission: CaptureSubmission) throws(QueueError) -> any BundleStore {
        guard let store = stores[submission.bundleStore] else {
            throw QueueError(.refused, Self.notConfigured(submission.bundleStore))
        }
        return store
    }

    private static func notConfigured(_ name: BundleStoreName) -> String {
        "the capture's bytes are in the store \(name), which this program is not configured for"
    }
}
