/// One thing that a run breaks on purpose, and for how long.
package enum Fault: Sendable, Hashable, CustomStringConvertible {
    /// A program ends without a word (SIGKILL) and is started again.
    case killed(ChaosProgram, downFor: Duration)
    /// A program stands still (SIGSTOP) and goes on as if nothing had been (SIGCONT); a worker's
    /// leases run out meanwhile.
    case frozen(ChaosProgram, lasting: Duration)
    /// Redis ends without a word and is started again from its append-only file.
    case redisKilled(downFor: Duration)
    /// Redis loses everything: all keys and functions stay away, the server stays up.
    case redisFlushed
    /// Redis comes back from a restart without its functions.
    case redisWithoutFunctions(downFor: Duration)
    /// Redis stands still.
    case redisFrozen(lasting: Duration)
    /// PostgreSQL is restarted in good order ("fast").
    case postgresRestarted(downFor: Duration)
    /// PostgreSQL and all its sessions end without a word.
    case postgresKilled(downFor: Duration)
    /// Every session of PostgreSQL is ended by an administrator.
    case sessionsTerminated
    /// Connections between programs and a server break.
    case cut(LinkChoice)
    /// Connections stay open, and nothing passes.
    case stalled(LinkChoice, lasting: Duration)
    /// Questions arrive, answers do not, and then the connections break: nobody knows what was done.
    case answersLost(LinkChoice, lasting: Duration)
    /// Every piece of every message arrives late.
    case slowed(LinkChoice, by: Duration, lasting: Duration)

    /// What the fault is called in reports, whoever it meets.
    package var kind: String {
        switch self {
        case .killed(let program, _): "\(program.role) killed"
        case .frozen(let program, _): "\(program.role) frozen"
        case .redisKilled: "Redis killed"
        case .redisFlushed: "Redis flushed"
        case .redisWithoutFunctions: "Redis without functions"
        case .redisFrozen: "Redis frozen"
        case .postgresRestarted: "PostgreSQL restarted"
        case .postgresKilled: "PostgreSQL killed"
        case .sessionsTerminated: "PostgreSQL sessions ended"
        case .cut(let choice): "\(choice.server) connections cut"
        case .stalled(let choice, _): "\(choice.server) connections stalled"
        case .answersLost(let choice, _): "\(choice.server) answers lost"
        case .slowed(let choice, _, _): "\(choice.server) connections slowed"
        }
    }

    /// The kind, whom it meets and for how long.
    package var description: String {
        switch self {
        case .killed(let program, let time): "\(program) killed, down for \(time.text)"
        case .frozen(let program, let time): "\(program) frozen for \(time.text)"
        case .redisKilled(let time), .redisWithoutFunctions(let time), .postgresRestarted(let time),
            .postgresKilled(let time):
            "\(kind), down for \(time.text)"
        case .redisFrozen(let time): "\(kind) for \(time.text)"
        case .redisFlushed, .sessionsTerminated: kind
        case .cut(let choice): "\(kind): \(choice.who)"
        case .stalled(let choice, let time): "\(kind) for \(time.text): \(choice.who)"
        case .answersLost(let choice, let time): "\(kind) for \(time.text), then cut: \(choice.who)"
        case .slowed(let choice, let delay, let time): "\(kind) by \(delay.text) for \(time.text): \(choice.who)"
        }
    }

    /// What only one fault at a time may happen to.
    var subjects: Set<String> {
        switch self {
        case .killed(let program, _), .frozen(let program, _): [program.description]
        case .redisKilled, .redisFlushed, .redisWithoutFunctions, .redisFrozen: ["redis"]
        case .postgresRestarted, .postgresKilled, .sessionsTerminated: ["postgres"]
        case .cut: []
        case .stalled(let choice, _), .answersLost(let choice, _), .slowed(let choice, _, _):
            Set(choice.programs.map { "\(choice.server) of \($0)" })
        }
    }
}

/// One of the programs of a run.
package struct ChaosProgram: Sendable, Hashable, CustomStringConvertible {
    /// What a program is for.
    package enum Role: String, Sendable, CaseIterable {
        /// Takes uploads.
        case gateway
        /// Verifies and settles.
        case worker
    }

    /// What it is for.
    package let role: Role
    /// Its number among those of its role, from 1.
    package let number: Int

    /// Role and number.
    package var description: String { "\(role)-\(number)" }
}

/// Some links to one server.
package struct LinkChoice: Sendable, Hashable {
    /// What a link leads to.
    package enum Server: String, Sendable, CaseIterable, CustomStringConvertible {
        /// The queue.
        case redis = "Redis"
        /// The record.
        case postgres = "PostgreSQL"

        /// The server's name.
        package var description: String { rawValue }
    }

    /// Where they lead.
    package let server: Server
    /// Whose they are.
    package let programs: [ChaosProgram]

    var who: String { programs.map(\.description).joined(separator: ", ") }
}

extension Duration {
    /// In seconds and milliseconds, for people.
    var text: String {
        let milliseconds = Int(self / .milliseconds(1))
        return milliseconds < 10_000 ? "\(milliseconds) ms" : "\((milliseconds + 500) / 1000) s"
    }
}
