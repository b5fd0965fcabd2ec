import CaptureModel
import CaptureQueue
import RedisClient

/// Looks for keys with an expiry that must stay: once it has run out, what they held is lost.
///
/// The keys of captures are not looked at here, as it depends on a capture's state which of them must stay.
extension QueueDoctor {
    /// Notes those of some keys that have an expiry.
    func examineEnds(
        of names: [String], partition: Int, _ examination: inout QueueExamination
    ) async throws(QueueError) {
        for page in names.pages(of: Self.pageSize) {
            let replies = try await queue.send(page.map { RedisCommand("PTTL", [.string($0)]) })
            // Below 0 it is the answer that there is no expiry, or no key.
            for (key, reply) in zip(page, replies) where (reply.int ?? -1) >= 0 {
                examination.note(QueueFinding(.keyWithEnd, key, partition: partition))
            }
        }
    }

    /// Takes the expiry off keys that still have one.
    func mendEnds(_ findings: [QueueFinding]) async throws(QueueError) -> [QueueFinding] {
        let replies = try await queue.send(findings.map { RedisCommand("PERSIST", [.string($0.subject)]) })
        return zip(findings, replies).filter { $1.int == 1 }.map(\.0)
    }
}
