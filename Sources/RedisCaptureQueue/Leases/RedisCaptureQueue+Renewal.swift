package import Logging
package import NIOCore
package import RedisClient

extension RedisCaptureQueue {
    /// Renews all leases that are held, on the client's event loops only: nothing waits for the cooperative pool.
    ///
    /// If the functions are gone, as after a restart without data, they are loaded for the next time.
    /// - Returns: For each call how many leases it found lost; they are no longer held.
    package func renewLeases(over client: RedisClient, logger: Logger) -> [EventLoopFuture<Int>] {
        let sentAt = leases.now()
        let batches = RenewalBatch.all(of: leases, keyspace: keyspace, consumer: consumer, logger: logger)
        let answers = batches.map { client.sendFuture($0.command) }
        for answer in answers { answer.whenFailure { client.loadFunctions(ifMissingIn: $0) } }
        noteRenewal(by: answers)
        return zip(batches, answers).map { renewal, answer in
            answer.map { [leases] in
                // Lost leases first, so that none of them counts as renewed in between.
                let lost = leases.markLost(renewal.lost(in: $0))
                leases.noteRenewal(of: renewal.tokens, sentAt: sentAt)
                return lost
            }
        }
    }

    /// Notes a success if any renewal succeeded: a refusal of one partition must not stop the ageing of other leases.
    private func noteRenewal(by answers: [EventLoopFuture<RedisValue>]) {
        guard let eventLoop = answers.first?.eventLoop else { return }
        EventLoopFuture.whenAllComplete(answers, on: eventLoop).whenSuccess { [leases] results in
            leases.noteRenewal(wentThrough: results.contains { (try? $0.get()) != nil })
        }
    }
}

extension RedisClient {
    /// Loads the functions if an error says that they are gone; returns whether it does.
    @discardableResult
    func loadFunctions(ifMissingIn error: any Error) -> Bool {
        guard (error as? RedisError)?.isMissingFunction == true else { return false }
        sendFuture(FunctionLibrary.current.loadCommand).whenFailure { _ in }
        return true
    }
}
