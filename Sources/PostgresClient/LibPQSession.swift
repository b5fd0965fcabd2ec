import CLibPQ
import Glibc

/// One session of libpq, used in its non-blocking form with a deadline on every wait.
///
/// It blocks the calling thread in `poll`, never inside libpq: so a server that has stopped answering can be abandoned.
/// Nor does libpq look up a name: ``SessionOpener`` gives it addresses.
///
/// There is no cancel request: libpq 15 sends it with a blocking connect and read and no limit of its own, to the very
/// server that does not answer. The server's `statement_timeout` ends a statement before the deadline, except a commit
/// that waits: see ``AbandonedSessions``.
///
/// libpq itself prevents SIGPIPE (`MSG_NOSIGNAL`, and a blocked signal around TLS writes); programs ignore it anyway.
///
/// It owns its `PGconn`, which never leaves it. It is not `Sendable`: the actor that made it keeps it.
@safe final class LibPQSession {
    private let connection: OpaquePointer
    /// What the server's notices say of the statement under way.
    private let notices: CommitNotices
    /// The statements prepared on this session.
    private var prepared: Set<String> = []
    /// Whether the session can take another statement.
    private(set) var isUsable = true
    /// Whether it was abandoned in the middle of a statement, which the server may still be running.
    private(set) var isAbandoned = false

    /// Connects.
    /// - Parameters:
    ///   - parameters: The parameters, with the address of one server or of a socket.
    ///   - answerBy: The deadline for the server's first answer of any kind.
    ///   - deadline: The deadline for the finished session.
    init(
        _ parameters: LibPQParameters, answeredBy answerBy: ContinuousClock.Instant, deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        let keywords = CStringArray(parameters.values.map(\.keyword))
        let values = CStringArray(parameters.values.map(\.value))
        let started = unsafe keywords.withPointers { keywords in
            unsafe values.withPointers { values in unsafe PQconnectStartParams(keywords, values, 0) }
        }
        guard let started = unsafe started else { throw PostgresError(.connection, "out of memory") }
        unsafe connection = started
        notices = CommitNotices()
        unsafe notices.listen(to: started)
        try finishConnecting(answerBy, deadline)
        guard unsafe PQsetnonblocking(connection, 1) == 0 else { throw lost(.connection) }
        try setLimits(of: parameters, deadline)
    }

    deinit { unsafe PQfinish(connection) }

    private func finishConnecting(
        _ answerBy: ContinuousClock.Instant, _ deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        var end = min(answerBy, deadline)
        // The first state counts as PGRES_POLLING_WRITING: libpq manual, "PQconnectStartParams".
        var next = PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            guard unsafe PQstatus(connection) != CONNECTION_BAD, next != PGRES_POLLING_FAILED else {
                throw lost(.connection)
            }
            let events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard wait(for: Int16(events), until: end) else {
                throw PostgresError(.connection, "connection to server \(server) failed: no connection in time")
            }
            if next == PGRES_POLLING_READING { end = deadline }
            next = unsafe PQconnectPoll(connection)
        }
    }

    /// The server that it connects to, in libpq's words.
    private var server: String {
        let name = unsafe PQhost(connection).map { unsafe String(cString: $0) } ?? ""
        let address = unsafe PQhostaddr(connection).map { unsafe String(cString: $0) } ?? ""
        return "at \"\(name)\"" + (address.isEmpty || address == name ? "" : " (\(address))")
    }

    private func setLimits(
        of parameters: LibPQParameters, _ deadline: ContinuousClock.Instant
    ) throws(PostgresError) {
        do throws(PostgresError) {
            try unsafe send { unsafe PQsendQuery($0, parameters.limits) }
            _ = try receive(deadline)
        } catch {
            // None of the caller's statements was sent yet.
            throw error.beforeCommit
        }
    }

    /// The number of the server's process that serves it.
    var process: Int32 { unsafe PQbackendPID(connection) }

    /// Whether no transaction is open.
    var isOutsideTransaction: Bool { unsafe PQtransactionStatus(connection) == PQTRANS_IDLE }

    /// Checks whether an idle session is still there: a server that went away has closed it by now.
    func checkIdle() {
        // A live server may have sent a few parameter changes or notices meanwhile, no more.
        for _ in 0..<16 where isUsable {
            guard wait(for: Int16(POLLIN), until: .now) else { return }
            if unsafe PQconsumeInput(connection) == 0 || PQstatus(connection) == CONNECTION_BAD { isUsable = false }
        }
    }

    /// Runs a statement, preparing it first if this session has not.
    func execute(
        _ statement: PostgresStatement, _ parameters: ParameterEncoder, deadline: ContinuousClock.Instant
    ) throws(PostgresError) -> PostgresResult {
        if !prepared.contains(statement.name) {
            try unsafe send { unsafe PQsendPrepare($0, statement.name, statement.sql, 0, nil) }
            do throws(PostgresError) {
                _ = try receive(deadline)
            } catch  where error.code == .outcomeUnknown {
                throw PostgresError(.connection, error.message)
            }
            prepared.insert(statement.name)
        }
        try unsafe send { connection in
            unsafe parameters.withPointers { count, values, lengths, formats in
                unsafe PQsendQueryPrepared(connection, statement.name, count, values, lengths, formats, 1)
            }
        }
        return try receive(deadline)
    }

    /// Runs SQL of several statements without parameters, as one transaction unless the SQL says otherwise.
    func executeScript(_ sql: String, deadline: ContinuousClock.Instant) throws(PostgresError) {
        try unsafe send { unsafe PQsendQuery($0, sql) }
        _ = try receive(deadline, isScript: true)
    }

    /// Hands a command to libpq; only ``receive(_:isScript:)`` makes sure that the server has all of it.
    private func send(_ body: (OpaquePointer) -> Int32) throws(PostgresError) {
        guard isUsable else { throw PostgresError(.connection, "the connection is closed") }
        guard unsafe body(connection) == 1 else { throw lost(.connection) }
    }

    /// Sends the rest, and reads results until libpq has no more; the last result counts, or the first error.
    ///
    /// A COMMIT that was answered stands, whatever follows: a backend that is told to end while it writes its commit
    /// out sends both. A script is different, as it may go on after the COMMIT. The outcome of a commit whose wait for a
    /// synchronous standby was cancelled is unknown: whoever tries it again waits for the standby, too.
    private func receive(
        _ deadline: ContinuousClock.Instant, isScript: Bool = false
    ) throws(PostgresError) -> PostgresResult {
        try flush(deadline)
        var answer: Result<PostgresResult, PostgresError>?
        while true {
            try waitForResult(deadline)
            guard let pointer = unsafe PQgetResult(connection) else { break }
            let result = unsafe LibPQResult(pointer)
            if result.isCopy {
                isUsable = false
                throw PostgresError(.decoding, "COPY is not supported")
            }
            let read = Result { () throws(PostgresError) in try result.read() }
            if case .failure(let error) = read {
                if result.isFatal || error.code == .outcomeUnknown || error.endsSession { isUsable = false }
            }
            switch answer {
            case .failure: continue
            case .success(let result) where result.commandTag == "COMMIT" && !isScript: continue
            case .success, nil: answer = read
            }
        }
        if unsafe PQstatus(connection) == CONNECTION_BAD { isUsable = false }
        guard let answer else { throw lost(.outcomeUnknown) }
        let isWithoutStandby = notices.takeIsWithoutStandby()
        let result = try answer.get()
        guard !isWithoutStandby else {
            isUsable = false
            throw PostgresError(.outcomeUnknown, "the commit's wait for a synchronous standby was cancelled")
        }
        return result
    }

    private func flush(_ deadline: ContinuousClock.Instant) throws(PostgresError) {
        while true {
            switch unsafe PQflush(connection) {
            case 0: return
            case 1:
                // Reading meanwhile keeps both sides from waiting for each other: libpq manual, "PQflush".
                guard wait(for: Int16(POLLIN | POLLOUT), until: deadline) else { throw timedOut() }
                guard unsafe PQconsumeInput(connection) == 1 else { return }
            default:
                // The server's last message, if any, comes with the results.
                return
            }
        }
    }

    /// Waits until `PQgetResult` would not block, or would report that the connection is lost.
    private func waitForResult(_ deadline: ContinuousClock.Instant) throws(PostgresError) {
        while unsafe PQisBusy(connection) == 1 {
            guard unsafe PQstatus(connection) != CONNECTION_BAD else { return }
            guard wait(for: Int16(POLLIN), until: deadline) else { throw timedOut() }
            guard unsafe PQconsumeInput(connection) == 1 else { return }
        }
    }

    private func timedOut() -> PostgresError {
        isUsable = false
        isAbandoned = true
        return PostgresError(.timeout, "no answer in time")
    }

    private func lost(_ code: PostgresError.Code) -> PostgresError {
        isUsable = false
        let words = unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? ""
        return PostgresError(code, words.oneLine)
    }

    /// Waits for the socket; `false` when the deadline passes first.
    private func wait(for events: Int16, until deadline: ContinuousClock.Instant) -> Bool {
        let socket = unsafe PQsocket(connection)
        // Without a socket, libpq's next call reports the cause.
        guard socket >= 0 else { return true }
        while true {
            let left = max(.zero, ContinuousClock.now.duration(to: deadline))
            var descriptor = pollfd(fd: socket, events: events, revents: 0)
            let ready = unsafe poll(&descriptor, 1, left == .zero ? 0 : left.milliseconds)
            if ready > 0 { return true }
            if ready == 0, ContinuousClock.now >= deadline { return false }
            if ready < 0, errno != EINTR { return true }
        }
    }
}

extension String {
    /// The text for logs, without line breaks and the tabs that libpq puts after them.
    var oneLine: String {
        split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
    }
}
