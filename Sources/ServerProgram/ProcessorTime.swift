import Glibc

/// The time that this process's threads have computed.
enum ProcessorTime {
    /// All of it since the start of the process.
    static func used() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
