package import Logging
package import NIOCore
package import RedisClient

extension RedisCaptureQueue {
    /// Renews whatever is due, on the client's event loops only: nothing of it waits for the cooperative pool.
    ///
    /// Functions that are gone, as after a restart without data, are loaded for the next time.
    /// - Returns: For each call how many leases it has found in other hands; they are held no longer.
    package func renewLeases(over client: RedisClient, logger: Logger) -> [EventLoopFuture<Int>] {
        RenewalBatch.due(of: leases, keyspace: keyspace, consumer: consumer, logger: logger).map { renewal in
            let answer = client.sendFuture(renewal.command)
            answer.whenComplete { [leases] result in
                switch result {
                case .success: leases.noteRenewal(wentThrough: true)
                case .failure(let error):
                    leases.noteRenewal(wentThrough: false)
                    client.loadFunctions(ifMissingIn: error)
                }
            }
            return answer.map { [leases] in leases.markLost(renewal.lost(in: $0)) }
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
