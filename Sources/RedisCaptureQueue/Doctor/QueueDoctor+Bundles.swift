package import CaptureModel
package import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// The store of each capture's bytes according to its job; captures without a job are left out.
    package func bundleStores(of captures: [CaptureID]) async throws(QueueError) -> [CaptureID: BundleStoreName] {
        var stores: [CaptureID: BundleStoreName] = [:]
        let partitions = queue.keyspace.all
        // The device tells the partition, a capture's id does not: ask all of them.
        for page in captures.pages(of: max(1, RedisCaptureQueue.commandsMax / partitions.count)) {
            let questions = page.flatMap { capture in partitions.map { (capture, $0.job(capture)) } }
            let replies = try await queue.send(questions.map { RedisCommand("HGET", [.string($0.1), "bundle"]) })
            for ((capture, _), reply) in zip(questions, replies) {
                if let bundle = reply.string.flatMap({ BundleText($0) }) { stores[capture] = bundle.store }
            }
        }
        return stores
    }
}
