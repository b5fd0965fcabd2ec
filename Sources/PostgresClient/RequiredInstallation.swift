import FoundationEssentials
import Synchronization

/// Whose database the sessions of a client must be with, once that is known, and whose else one was with.
///
/// A name of a server or database, a failover or a pooler may lead to another installation's database while the client
/// runs: always by a new session.
final class RequiredInstallation: Sendable {
    private struct State {
        var required: (id: UUID, question: PostgresStatement)?
        var other: UUID?
    }

    private let state = Mutex(State())

    /// Names the installation, and the statement that asks a session for the `id` of its own.
    func set(_ id: UUID, askedBy question: PostgresStatement) {
        state.withLock { $0 = State(required: (id, question)) }
    }

    /// Whether it is known.
    var isKnown: Bool { state.withLock { $0.required != nil } }

    /// The installation that a session was refused for.
    var other: UUID? { state.withLock { $0.other } }

    /// Refuses a new session that is with another installation's database.
    /// - Returns: Whether it was asked: it is not before the installation is known.
    /// - Throws: ``PostgresError`` with code `connection` if it is another's, or does not say; or the question's.
    func check(_ session: LibPQSession, deadline: ContinuousClock.Instant) throws(PostgresError) -> Bool {
        guard let (id, question) = state.withLock({ $0.required }) else { return false }
        let found: UUID?
        do throws(PostgresError) {
            found = try session.execute(question, ParameterEncoder([]), deadline: deadline).first?.uuid("id")
        } catch {
            // None of the caller's statements was sent yet.
            throw error.beforeCommit
        }
        guard let found else { throw PostgresError(.connection, "the database does not say whose it is") }
        guard found != id else { return true }
        state.withLock { $0.other = found }
        throw PostgresError(.connection, "the database is another installation's")
    }
}
