package import CaptureModel
package import CaptureQueue
package import RedisClient

/// The bytes of captures in the queue's own Redis, beside their jobs.
///
/// Give it a client of its own: large values on a connection delay the small commands behind them. Enqueuing takes the
/// expiry off the bytes, settling removes them.
package struct RedisBundleStore: BundleStore {
    /// `redis`: the store whose bytes the functions remove themselves.
    package var name: BundleStoreName { .redis }

    private let client: RedisClient
    private let keyspace: Keyspace
    private let orphanAge: Duration

    /// Sends nothing before the first call.
    /// - Parameters:
    ///   - client: A client of its own, with a command timeout that fits the largest bundle.
    ///   - keyspace: The queue's keyspace.
    ///   - orphanAge: The time after which bytes expire if their capture is never enqueued.
    package init(client: RedisClient, keyspace: Keyspace = .standard, orphanAge: Duration = .seconds(900)) {
        self.client = client
        self.keyspace = keyspace
        self.orphanAge = orphanAge
    }

    /// Stores the bytes under the capture's id, which must be new: bytes that are there already are never overwritten.
    package func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        let keys = keyspace.partition(of: submission.device)
        let expiry = RedisArgument.integer(max(1, orphanAge.milliseconds))
        try await send([
            RedisCommand("SET", [.string(keys.photo(submission.id)), .buffer(media.photo), "NX", "PX", expiry]),
            RedisCommand("SET", [.string(keys.depth(submission.id)), .buffer(media.depth), "NX", "PX", expiry]),
        ])
    }

    /// Stores the bytes in the place of those that are there, of whatever type, with the expiry that these have.
    ///
    /// If the capture is settled meanwhile, its keys are gone and none is made.
    package func replace(_ media: CaptureMedia, of submission: CaptureSubmission) async throws(QueueError) {
        let keys = keyspace.partition(of: submission.device)
        try await send([
            RedisCommand("SET", [.string(keys.photo(submission.id)), .buffer(media.photo), "XX", "KEEPTTL"]),
            RedisCommand("SET", [.string(keys.depth(submission.id)), .buffer(media.depth), "XX", "KEEPTTL"]),
        ])
    }

    /// Fetches the bytes; that some are missing is accepted only from a primary.
    ///
    /// A server that has become a replica lacks later bytes. As this client may never write, it would not be refused
    /// and so would not leave that server.
    package func fetch(_ submissions: [CaptureSubmission]) async throws(QueueError) -> [FetchedMedia] {
        var fetched = [FetchedMedia](repeating: .missing, count: submissions.count)
        // One after the other: for many at once the server would collect the answers in memory before it sends the
        // first.
        for indices in questions(for: submissions) {
            let missing = try await ask(for: indices, of: submissions, into: &fetched)
            _ = try await ask(for: missing, of: submissions, into: &fetched, onlyPrimary: true)
        }
        return fetched
    }

    /// Asks for the bytes of some submissions of one partition; returns those that were not there.
    ///
    /// - Parameter onlyPrimary: Whether a replica must refuse.
    private func ask(
        for indices: [Int], of submissions: [CaptureSubmission], into fetched: inout [FetchedMedia],
        onlyPrimary: Bool = false
    ) async throws(QueueError) -> [Int] {
        guard let first = indices.first else { return [] }
        var commands = [RedisCommand("MGET", indices.flatMap { keys(of: submissions[$0]) })]
        if onlyPrimary { commands.insert(harmlessWrite(beside: submissions[first]), at: 0) }
        guard let values = try await send(commands).last?.array, values.count == 2 * indices.count else {
            throw .malformed("MGET")
        }
        var missing: [Int] = []
        for (place, index) in indices.enumerated() {
            if let photo = values[2 * place].buffer, let depth = values[2 * place + 1].buffer {
                fetched[index] = .found(CaptureMedia(photo: photo, depth: depth))
            } else {
                missing.append(index)
            }
        }
        return missing
    }

    /// A write that changes nothing, as a stream of tokens has no expiry, and that works even when memory is full.
    private func harmlessWrite(beside submission: CaptureSubmission) -> RedisCommand {
        RedisCommand("PERSIST", [.string(keyspace.partition(of: submission.device).ready)])
    }

    /// The indices of submissions that are fetched together, as small bundles cost the server more in commands than in
    /// bytes.
    ///
    /// Those of a group are in one partition, so in one slot of a cluster; a limit on bytes keeps others from waiting
    /// long.
    private func questions(for submissions: [CaptureSubmission]) -> [[Int]] {
        let byPartition = Dictionary(grouping: submissions.indices) {
            keyspace.partition(of: submissions[$0].device).number
        }
        return byPartition.values.flatMap { Self.questions(for: $0, of: submissions) }
    }

    /// The groups of one partition, each with one submission at least, whatever their sizes.
    private static func questions(for indices: [Int], of submissions: [CaptureSubmission]) -> [[Int]] {
        var questions: [[Int]] = []
        var question: [Int] = []
        var bytes = 0
        for index in indices {
            let size = submissions[index].photoBytes + submissions[index].depthBytes
            if !question.isEmpty, bytes + size > questionBytesMax {
                questions.append(question)
                (question, bytes) = ([], 0)
            }
            question.append(index)
            bytes += size
        }
        return questions + [question]
    }

    /// Bytes that one question asks for, unless one bundle alone has more.
    private static let questionBytesMax = 1 << 20

    /// Compares the declared sizes: larger bytes may be more than one answer may have.
    package func isOfOtherSize(_ submission: CaptureSubmission) async throws(QueueError) -> Bool {
        let replies = try await client.replies(to: keys(of: submission).map { RedisCommand("STRLEN", [$0]) })
        return zip(replies, [submission.photoBytes, submission.depthBytes]).contains { reply, declared in
            // 0: it is gone. No number: the key is of another type, which counts as gone, too.
            guard let size = reply.int, size > 0 else { return false }
            return size != declared
        }
    }

    private func keys(of submission: CaptureSubmission) -> [RedisArgument] {
        let partition = keyspace.partition(of: submission.device)
        return [.string(partition.photo(submission.id)), .string(partition.depth(submission.id))]
    }

    /// Removes the bytes, unless the capture was enqueued and they belong to the queue.
    ///
    /// Enqueuing may have succeeded although its caller got no answer: then the bytes have no expiry.
    package func remove(_ submission: CaptureSubmission) async throws(QueueError) {
        let keys = keys(of: submission)
        let lifetimes = try await send(keys.map { RedisCommand("PTTL", [$0]) })
        // -1: no expiry, so it belongs to a capture; -2: not there.
        guard !lifetimes.contains(where: { $0.int == -1 }) else { return }
        try await send([RedisCommand("UNLINK", keys)])
    }

    /// Nothing to do: the functions that settle and discard remove the bytes in the same step.
    package func removeSettled(_ captures: [CaptureID]) async throws(QueueError) {}

    @discardableResult
    private func send(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisValue] {
        try await client.replies(to: commands).withoutErrors()
    }
}
