package import CaptureModel

/// The stores that a program is configured for: new bytes go to one, and each job names the store to fetch from.
///
/// So after the setting was changed, the same workers drain a queue whose captures are in two stores.
package struct BundleStores: BundleStore {
    private let primary: any BundleStore
    private let stores: [BundleStoreName: any BundleStore]
    private let isOpen: @Sendable () -> Bool

    /// Names the stores.
    /// - Parameters:
    ///   - primary: Where new bytes go.
    ///   - others: Further stores that may hold bytes.
    ///   - isOpen: Whether new bytes are accepted yet: only once it is known that the servers would keep them.
    package init(
        primary: any BundleStore, others: [any BundleStore] = [], isOpen: @escaping @Sendable () -> Bool = { true }
    ) {
        self.primary = primary
        self.isOpen = isOpen
        stores = Dictionary((others + [primary]).map { ($0.name, $0) }) { _, last in last }
    }

    /// The name of the one that new bytes go to.
    package var name: BundleStoreName { primary.name }

    /// Whether the store is one of these.
    package func holds(_ store: BundleStoreName) -> Bool { stores[store] != nil }

    /// Stores bytes where the submission says.
    package func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        try await openStore(of: submission).put(media, of: submission)
    }

    /// Replaces bytes where the submission says.
    package func replace(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        try await openStore(of: submission).replace(media, of: submission)
    }

    /// Fetches each capture's bytes from the store that its job names, one store after another.
    ///
    /// If that store is not configured here, the bytes are unreadable, not missing: the capture is put off.
    package func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
        var fetched = submissions.map { FetchedMedia.unreadable(Self.notConfigured($0.bundleStore)) }
        for (name, store) in stores {
            let indices = submissions.indices.filter { submissions[$0].bundleStore == name }
            guard !indices.isEmpty else { continue }
            let found = try await store.fetch(indices.map { submissions[$0] })
            guard found.count == indices.count else {
                throw QueueError(.malformedReply, "the bundle store \(name) answered in part", of: .bundles)
            }
            for (index, media) in zip(indices, found) { fetched[index] = media }
        }
        return fetched
    }

    /// Asks the store that the job names; `false` if it is not configured here.
    package func isOfOtherSize(_ submission: CaptureSubmission) async throws(QueueError) -> Bool {
        try await stores[submission.bundleStore]?.isOfOtherSize(submission) ?? false
    }

    /// Removes the bytes of a capture that was not enqueued after all, from the store that it names.
    package func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        try await store(of: submission).remove(submission)
    }

    /// Removes the bytes from every store: those of a capture whose job names another store by now may be in one.
    package func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {
        for store in stores.values { try await store.removeSettled(captures) }
    }

    /// Looks in every store.
    package func removal(of capture: CaptureID) async throws(QueueError) -> BundleRemoval {
        var found: [BundleRemoval] = []
        for store in stores.values { found.append(try await store.removal(of: capture)) }
        let removals = found
        return { () async throws(QueueError) in
            for removal in removals { try await removal() }
        }
    }

    private func openStore(of submission: CaptureSubmission) throws(QueueError) -> any BundleStore {
        guard isOpen() else {
            throw QueueError(.starting, "the servers' settings have not been looked at yet", of: .bundles)
        }
        return try store(of: submission)
    }

    private func store(of submission: CaptureSubmission) throws(QueueError) -> any BundleStore {
        guard let store = stores[submission.bundleStore] else {
            throw QueueError(.refused, Self.notConfigured(submission.bundleStore), of: .bundles)
        }
        return store
    }

    private static func notConfigured(_ name: BundleStoreName) -> String {
        "the capture's bytes are in the store \(name), which this program is not configured for"
    }
}
