package import CaptureModel

extension CaptureMetrics {
    /// Notes whether a server answers.
    package static func dependency(_ server: BackingServer, isUp: Bool) {
        set(MetricCatalogue.dependencyUp, to: isUp ? 1 : 0, server.rawValue)
    }

    /// Notes how many settings of the servers do not meet `queue.durability`, for one gravity.
    package static func durabilityProblems(_ count: Int, _ gravity: SettingProblem.Gravity) {
        set(MetricCatalogue.durabilityProblems, to: Double(count), gravity.rawValue)
    }

    /// Notes how much memory Redis has taken, in bytes, and how much it may; 0 for no bound.
    package static func redisMemory(taken: Int, limit: Int) {
        set(MetricCatalogue.redisMemory, to: Double(taken))
        set(MetricCatalogue.redisMemoryMax, to: Double(limit))
    }

    /// Notes how far a server's clock is ahead of this machine's.
    package static func clock(of server: BackingServer, ahead: Duration) {
        set(MetricCatalogue.clockOffset, to: ahead / .seconds(1), server.rawValue)
    }

    /// A pool of connections to PostgreSQL.
    package enum Pool: String, Sendable, CaseIterable {
        /// The pool for requests and captures.
        case record
        /// The pool of the reconciler between ledger and queue.
        case reconciler
    }

    /// Notes the use of a pool of connections.
    package static func pool(_ pool: Pool, busy: Int, idle: Int, waiters: Int) {
        set(MetricCatalogue.poolConnections, to: Double(busy), pool.rawValue, "busy")
        set(MetricCatalogue.poolConnections, to: Double(idle), pool.rawValue, "idle")
        set(MetricCatalogue.poolWaiters, to: Double(waiters), pool.rawValue)
    }

    /// Notes which program has started, of which release, and when.
    package static func started(_ program: ProgramName, version: String, at time: Timestamp) {
        set(MetricCatalogue.buildInfo, to: 1, program.rawValue, version)
        set(MetricCatalogue.startTime, to: Double(time.millisecondsSince1970) / 1000)
    }

    /// Notes how much memory the process holds, if the system reports it.
    package static func residentMemory(_ bytes: Int?) {
        guard let bytes else { return }
        set(MetricCatalogue.residentMemory, to: Double(bytes))
    }
}
