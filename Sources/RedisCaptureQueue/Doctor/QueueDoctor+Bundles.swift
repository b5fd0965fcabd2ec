package import CaptureModel
package import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// The store of each capture's bytes according to its job; captures without a job are left out.
    package func bundleStores(of captures: [CaptureID]) async throws(QueueError) -> [CaptureID: BundleStoreName] {
        var stores: [CaptureID: BundleStoreName] = [:]
        let partitions = queue.keyspace.all
        for page in captures.pages(of: 500) {
            // The device tells the partition, a capture's id does not: ask all of them.
            let questions = page.flatMap { capture in partitions.map { (capture, $0.job(capture)) } }
            let replies = try await queue.send(questions.map { RedisCommand("HGET", [.string($0.1), "bundle"]) })
            for ((capture, _), reply) in zip(questions, replies) {
                if let bundle = reply.string.flatMap({ BundleText($0) }) { stores[capture] = bundle.store }
            }
        }
        return stores
    }
}
