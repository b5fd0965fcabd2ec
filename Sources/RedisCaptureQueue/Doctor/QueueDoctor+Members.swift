import CaptureModel
import CaptureQueue
import NIOCore
import RedisClient

extension QueueDoctor {
    /// Goes through a sorted set in pages: the members that are ids, and those that are none.
    func readMembers<ID: CustomStringConvertible>(
        of key: String, reading read: (String) -> ID?, _ body: ([ID], [ByteBuffer]) async throws(QueueError) -> Void
    ) async throws(QueueError) {
        try await queue.functions.client.scan("ZSCAN", [.string(key)], ["COUNT", 1000]) {
            (items) async throws(QueueError) in
            // Members and scores alternate.
            let members = stride(from: 0, to: items.count - 1, by: 2).compactMap { items[$0].buffer }
            let (ids, foreign) = ForeignMembers.split(members, reading: read)
            try await body(ids, foreign)
        }
    }

    /// Takes all members that are no ids out of the sorted sets that have them.
    ///
    /// A member that cannot be an id never becomes one: it is not looked at once more. Each page is taken out before
    /// the next is read, as somebody may have written millions of them.
    func mendMembers(_ findings: [QueueFinding]) async throws(QueueError) -> [QueueFinding] {
        var mended: [QueueFinding] = []
        for finding in findings {
            var isMended = false
            // Ids of devices and of captures are read alike.
            try await readMembers(of: finding.hint, reading: { CaptureID($0) }) {
                (_, foreign) async throws(QueueError) in
                for page in foreign.pages(of: Self.pageSize) {
                    let members = page.map { RedisArgument.buffer($0) }
                    _ = try await queue.send([RedisCommand("ZREM", [.string(finding.hint)] + members)])
                    isMended = true
                }
            }
            if isMended { mended.append(finding) }
        }
        return mended
    }
}
