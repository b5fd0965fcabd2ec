/// One connection to PostgreSQL, on a serial queue of its own.
///
/// ``PostgresClient/withConnection(_:)`` and ``PostgresClient/withTransaction(_:)`` lend it; it must not be kept beyond
/// their body. Statements of one connection run one after the other. Cancelling a task interrupts none, since the
/// configuration limits their time.
package actor PostgresConnection {
    private let executor: QueueExecutor
    private let configuration: PostgresConfiguration
    private let gate: ReconnectGate
    private let abandoned: AbandonedSessions
    private let opener: SessionOpener
    private let census: SessionCensus
    private let installation: RequiredInstallation
    private let number: Int
    private var session: LibPQSession? {
        didSet { census.note(hasSession: session != nil, had: oldValue != nil) }
    }
    /// Whether the session was asked whose its database is.
    private var isAsked = false
    /// When the session's last statement was sent.
    private var began = ContinuousClock.now

    /// The connection's queue.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(
        _ opener: SessionOpener, gate: ReconnectGate, abandoned: AbandonedSessions, census: SessionCensus,
        installation: RequiredInstallation, number: Int
    ) {
        self.executor = QueueExecutor(name: "postgres-\(number)")
        self.configuration = opener.configuration
        self.gate = gate
        self.abandoned = abandoned
        self.opener = opener
        self.census = census
        self.installation = installation
        self.number = number
    }

    /// Runs a statement and returns all of its rows.
    package func execute(
        _ statement: PostgresStatement, _ parameters: [PostgresValue] = []
    ) throws(PostgresError) -> PostgresResult {
        guard let session else { throw PostgresError(.connection, "the connection is closed") }
        noteBeginning(on: session)
        defer { if session.isUsable { gate.noteAnswer(since: began) } }
        return try session.execute(statement, ParameterEncoder(parameters), deadline: answerDeadline)
    }

    /// Runs SQL of several statements without parameters, for migrations; never pass text from outside.
    package func executeScript(_ sql: String) throws(PostgresError) {
        guard let session else { throw PostgresError(.connection, "the connection is closed") }
        noteBeginning(on: session)
        defer { if session.isUsable { gate.noteAnswer(since: began) } }
        try session.executeScript(sql, deadline: answerDeadline)
    }

    /// Notes when a statement begins; on an abandoned session it does not, as it is refused at once.
    private func noteBeginning(on session: LibPQSession) {
        if session.isUsable { began = .now }
    }

    /// Connects, unless a session is there and alive.
    /// - Parameter deadline: When the attempt ends, if that is before the configuration's time to connect is over.
    /// - Throws: ``LoanFault/unopened(_:)``.
    func open(by deadline: ContinuousClock.Instant) async throws(LoanFault) {
        session?.checkIdle()
        // One from before it was known whose the database must be is replaced.
        if let session, session.isUsable, isAsked || !installation.isKnown { return }
        session = nil
        do throws(PostgresError) {
            try await connect(by: deadline)
        } catch {
            throw .unopened(error)
        }
    }

    private func connect(by deadline: ContinuousClock.Instant) async throws(PostgresError) {
        // Where there are other sessions, one of them is free before an attempt is over that takes long.
        try await gate.pass(by: census.isEmpty ? deadline : .now)
        let full = ContinuousClock.now + configuration.connectTimeout
        let end = min(deadline, full)
        census.noteOpening(number)
        defer { census.noteEnd(number) }
        do throws(PostgresError) {
            let turn = gate.turn
            let (made, next) = try opener.open(by: end, turn: turn)
            gate.noteTurn(next, from: turn)
            isAsked = try installation.check(made, deadline: end)
            try abandoned.check(made, deadline: end)
            session = made
        } catch {
            // A late caller's own deadline says nothing about the server: a caller with more time finds out.
            let isOwnEnd = deadline < full && error.sqlState == nil && ContinuousClock.now >= deadline
            if isOwnEnd { gate.noteUndecided() } else { gate.noteFailure(error) }
            throw error
        }
        gate.noteSuccess()
    }

    /// Connects if needed and runs one statement, in one hop to the queue.
    func openAndExecute(
        _ statement: PostgresStatement, _ parameters: [PostgresValue], connectBy deadline: ContinuousClock.Instant
    ) async throws(LoanFault) -> PostgresResult {
        try await open(by: deadline)
        defer { closeUnlessClean() }
        do throws(PostgresError) {
            return try execute(statement, parameters)
        } catch {
            throw .failed(error)
        }
    }

    /// Whether there is a session that can take statements.
    var isOpen: Bool { session?.isUsable ?? false }

    /// Closes a session that is broken or inside a transaction, so that no later caller gets it.
    func closeUnlessClean() {
        guard let session, !session.isUsable || !session.isOutsideTransaction else { return }
        if session.isAbandoned {
            abandoned.add(session.process)
            gate.noteSilence(since: began)
        }
        self.session = nil
    }

    /// Closes the session, and loses its state with it.
    ///
    /// The next caller of the connection gets a new session.
    package func close() {
        // It notes an abandoned session.
        closeUnlessClean()
        session = nil
    }

    private var answerDeadline: ContinuousClock.Instant { .now + configuration.answerTimeout }
}
