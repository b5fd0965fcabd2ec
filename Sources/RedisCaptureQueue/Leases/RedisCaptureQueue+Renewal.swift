package import Logging
package import NIOCore
package import RedisClient

extension RedisCaptureQueue {
    /// Renews whatever is due, on the client's event loops only: nothing of it waits for the cooperative pool.
    ///
    /// Functions that are gone, as after a restart without data, are loaded for the next time.
    /// - Returns: For each call how many leases it has found in other hands; they are held no longer.
    package func renewLeases(over client: RedisClient, logger: Logger) -> [EventLoopFuture<Int>] {
        let sentAt = leases.now()
        let batches = RenewalBatch.due(of: leases, keyspace: keyspace, consumer: consumer, logger: logger)
        let answers = batches.map { client.sendFuture($0.command) }
        for answer in answers { answer.whenFailure { client.loadFunctions(ifMissingIn: $0) } }
        noteRenewal(by: answers)
        return zip(batches, answers).map { renewal, answer in
            answer.map { [leases] in
                // Lost ones first: in between none of them may pass for renewed.
                let lost = leases.markLost(renewal.lost(in: $0))
                leases.noteRenewal(of: renewal.leases, sentAt: sentAt)
                return lost
            }
        }
    }

    /// One that goes through is enough: what one partition refuses does not keep the leases of others young.
    private func noteRenewal(by answers: [EventLoopFuture<RedisValue>]) {
        guard let eventLoop = answers.first?.eventLoop else { return }
        EventLoopFuture.whenAllComplete(answers, on: eventLoop).whenSuccess { [leases] results in
            leases.noteRenewal(wentThrough: results.contains { (try? $0.get()) != nil })
        }
    }
}

extension RedisClient {
    /// Loads the functions if an error says that they are gone; tells whether it does.
    @discardableResult
    func loadFunctions(ifMissingIn error: any Error) -> Bool {
        guard (error as? RedisError)?.isMissingFunction == true else { return false }
        sendFuture(FunctionLibrary.current.loadCommand).whenFailure { _ in }
        return true
    }
}
