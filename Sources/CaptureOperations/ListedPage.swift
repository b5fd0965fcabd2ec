import CaptureModel
package import CaptureQueue
package import CaptureStore

/// A page of the list of captures.
package struct ListedPage: Sendable {
    /// The captures, newest first.
    package let captures: [ListedCapture]
    /// Where the next page begins; `nil` on the last one.
    package let next: CapturePosition?
    /// How many captures were looked at, if that bound ended the page before it was full; else `nil`.
    package let cutAfter: Int?

    /// Reads a page: the record first, then the queue, then the record again for what was settled in between.
    package static func read(
        _ filter: CaptureFilter, after place: CapturePosition?, limit: Int, from archive: any CaptureArchive,
        store: any CaptureStore, queue: any ReadableQueue
    ) async throws(ServerFault) -> ListedPage {
        // One more than asked for tells whether there are more.
        let found = try await ServerFault.askingStore { () async throws(StoreError) in
            try await archive.list(filter, after: place, limit: limit + 1)
        }
        let rows = Array(found.prefix(limit))
        return ListedPage(
            captures: try await lines(of: rows, store, queue), next: found.count > limit ? rows.last?.position : nil,
            cutAfter: nil)
    }

    /// Asks the queue about rows without a result, and the record again about those that the queue calls settled.
    private static func lines(
        of rows: [ArchivedCapture], _ store: any CaptureStore, _ queue: any ReadableQueue
    ) async throws(ServerFault) -> [ListedCapture] {
        let open = rows.filter { $0.result == nil }.map(\.id)
        guard !open.isEmpty else { return ListedRows(rows, []).lines(late: [:]) }
        let states = try await ServerFault.askingQueue { () async throws(QueueError) in
            try await queue.status(of: open)
        }
        let listed = ListedRows(rows, states.compactMap(\.self))
        let results = try await ServerFault.askingStore { () async throws(StoreError) in
            try await store.results(of: listed.late)
        }
        return listed.lines(late: results)
    }
}
