import Dispatch
import Synchronization

extension HostNames {
    /// Waits for a name's addresses on the calling thread, which must be one that may block.
    ///
    /// - Parameter deadline: When the time for lookup and connection is over.
    /// - Throws: ``NameFault`` if neither this lookup nor an earlier one has found an address in time.
    package func addresses(
        of name: String, by deadline: ContinuousClock.Instant
    ) throws(NameFault) -> [String] {
        let box = AnswerBox()
        let question = ask(name) { box.put($0) }
        defer { question.withdraw() }
        if let answer = box.answer(by: question.waitEnd(by: deadline)) { return try answer.get() }
        guard !question.known.isEmpty else { throw NameFault(name, "its address was not found in time") }
        return question.known
    }
}

/// Hands one answer from any thread to the thread that waits for it.
private final class AnswerBox: Sendable {
    private let answer = Mutex<Result<[String], NameFault>?>(nil)
    // A semaphore, as the waiting thread is a connection's own, which blocks in libpq as well: libpq connects without
    // a callback. No thread of the cooperative pool waits here, and each wait ends at the deadline.
    private let arrival = DispatchSemaphore(value: 0)

    func put(_ result: Result<[String], NameFault>) {
        answer.withLock { $0 = result }
        arrival.signal()
    }

    func answer(by deadline: ContinuousClock.Instant) -> Result<[String], NameFault>? {
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        let nanoseconds = Int(clamping: left.attoseconds / 1_000_000_000)
        _ = arrival.wait(timeout: .now() + .nanoseconds(nanoseconds))
        return answer.withLock { $0 }
    }
}
