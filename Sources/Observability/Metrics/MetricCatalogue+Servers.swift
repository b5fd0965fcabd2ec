import CaptureModel

extension MetricCatalogue {
    static let poolConnections = MetricDefinition(
        "capture_pool_connections", .gauge, "PostgreSQL connections of a pool by state.",
        labels: [pool, MetricLabel("state", ["busy", "idle"])])
    static let poolWaiters = MetricDefinition(
        "capture_pool_waiters", .gauge, "Callers waiting for a connection of a pool.", labels: [pool])
    static let dependencyUp = MetricDefinition(
        "capture_dependency_up", .gauge,
        """
        1 while a server does its work, 0 while it does not answer or refuses; after a refusal until work has succeeded, \
        30 s at the least and without any work 5 min.
        """,
        labels: [MetricLabel("dependency", BackingServer.self)])
    static let durabilityProblems = MetricDefinition(
        "capture_durability_problems", .gauge,
        """
        Settings of Redis and PostgreSQL that are not as `queue.durability` needs them, and certificates that end within \
        14 days, by gravity.
        """,
        labels: [MetricLabel("gravity", SettingProblem.Gravity.self)])
    static let redisMemory = MetricDefinition(
        "capture_redis_memory_bytes", .gauge, "Memory that Redis has taken, as it counts it against `maxmemory`.")
    static let redisMemoryMax = MetricDefinition(
        "capture_redis_memory_bytes_max", .gauge, "Redis's `maxmemory`; 0 where it has none.")
    static let clockOffset = MetricDefinition(
        "capture_clock_offset_seconds", .gauge,
        "How far a server's clock is ahead of this machine's; negative where it is behind.",
        labels: [MetricLabel("dependency", BackingServer.withClocks.map(\.rawValue))])
    static let buildInfo = MetricDefinition(
        "capture_build_info", .gauge, "Always 1; the labels say which release runs.",
        labels: [
            MetricLabel("program", ProgramName.servers.map(\.rawValue)),
            MetricLabel("version", [], "the release"),
        ])
    static let startTime = MetricDefinition(
        "capture_process_start_time_seconds", .gauge, "When the process started, in seconds since 1970.")
    static let residentMemory = MetricDefinition(
        "capture_process_resident_memory_bytes", .gauge, "Memory (RSS) that the process holds.")
    static let droppedSeries = MetricDefinition(
        "capture_metrics_dropped_series_total", .counter,
        "Recordings that found no series of their own, and are counted as `other` or not at all.")

    private static let pool = MetricLabel("pool", CaptureMetrics.Pool.self)

    /// The metrics of a program itself and of the servers that it needs.
    static let servers = [
        poolConnections, poolWaiters, dependencyUp, durabilityProblems, redisMemory, redisMemoryMax, clockOffset,
        buildInfo, startTime, residentMemory, droppedSeries,
    ]
}
