package import CaptureModel
package import CaptureQueue
import RedisClient

extension QueueDoctor {
    /// In which store each of some captures has its bytes, as its job says; those without a job are missing.
    package func bundleStores(of captures: [CaptureID]) async throws(QueueError) -> [CaptureID: BundleStoreName] {
        var stores: [CaptureID: BundleStoreName] = [:]
        let partitions = queue.keyspace.all
        for page in captures.pages(of: 500) {
            // A capture does not say in which partition it is: its device does.
            let questions = page.flatMap { capture in partitions.map { (capture, $0.job(capture)) } }
            let replies = try await queue.send(questions.map { RedisCommand("HGET", [.string($0.1), "bundle"]) })
            for ((capture, _), reply) in zip(questions, replies) {
                if let bundle = reply.string.flatMap({ BundleText($0) }) { stores[capture] = bundle.store }
            }
        }
        return stores
    }
}
