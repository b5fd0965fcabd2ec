import Dispatch
import Synchronization

/// Looks up the addresses of host names, and waits no longer than the caller allows.
///
/// ```swift
/// let addresses = try HostNames.system.addresses(of: "db.internal", by: .now + .seconds(1))
/// ```
/// The system's lookup cannot be cut short: with a dead name server it takes 5 s and more. So each lookup runs on a
/// thread of its own, one at a time for each name, and callers that ask meanwhile share it. An answer that comes after
/// all callers have left is kept. If a lookup fails or is late, the last known addresses are used.
package final class HostNames: Sendable {
    /// Finds a name's addresses, in the order in which they are to be tried; may take as long as it likes.
    package typealias Lookup = @Sendable (String) throws(NameFault) -> [String]
    /// Takes the answer to a question, on any thread and at most once.
    package typealias Waiter = @Sendable (Result<[String], NameFault>) -> Void

    /// Uses the system's lookup; all clients of a process share it.
    package static let system = HostNames(lookUp: { name throws(NameFault) in try SystemLookup.addresses(of: name) })

    private let book: Mutex<NameBook<Waiter>>
    private let lookUp: Lookup
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Knows no name yet.
    /// - Parameters:
    ///   - namesMax: How many names it remembers; the name that was not asked for longest makes room.
    ///   - patience: How long a lookup may take before the last known addresses are used.
    ///   - now: Reads the clock.
    ///   - lookUp: Finds the addresses of a name.
    package init(
        namesMax: Int = 64, patience: Duration = .milliseconds(500),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, lookUp: @escaping Lookup
    ) {
        book = Mutex(NameBook(namesMax: namesMax, patience: patience))
        self.now = now
        self.lookUp = lookUp
    }

    /// Asks for a name's addresses, and does not wait.
    ///
    /// An address needs no lookup: the answer is there before this returns.
    /// - Parameter waiter: Called with the addresses found, or with the last known ones if the lookup fails; not called
    ///   once the question is withdrawn.
    package func ask(_ name: String, _ waiter: @escaping Waiter) -> NameQuestion {
        if SystemLookup.isAddress(name) {
            waiter(.success([name]))
            return NameQuestion()
        }
        let moment = now()
        guard let asked = book.withLock({ $0.ask(name, waiter, at: moment) }) else {
            waiter(.failure(NameFault(name, "too many names are being looked up")))
            return NameQuestion()
        }
        if asked.isFirst { begin(name) }
        return NameQuestion(known: asked.known, patientUntil: asked.patientUntil) { [self] in
            book.withLock { $0.withdraw(asked.id, name) }
        }
    }

    /// A dispatch queue for each lookup gets a thread, whatever blocks elsewhere.
    private func begin(_ name: String) {
        DispatchQueue(label: "host name").async { [self] in
            let found = Result { () throws(NameFault) in try lookUp(name) }
            let (waiters, answer) = book.withLock { $0.end(name, found) }
            for waiter in waiters { waiter(answer) }
        }
    }
}
