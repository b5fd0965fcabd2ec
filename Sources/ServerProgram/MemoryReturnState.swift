/// When freed memory is given back: no clock and no memory of its own.
///
/// While that is done nobody gets memory. So it is done when the process computes little, or when it holds so much that
/// it may be killed for it.
struct MemoryReturnState {
    /// With less it is not worth while.
    static let freedBytesMin = 64 << 20
    /// With more it is done at any time.
    static let heldBytesMax = 512 << 20
    /// The most that a calm process computes, of one processor.
    private static let calmShare = 0.25
    /// How long to wait when almost nothing went back: there is something in use on almost every page.
    private static let vainPause = Duration.seconds(60)

    private var last: (time: ContinuousClock.Instant, processorTime: Duration)?
    private var pauseEnd: ContinuousClock.Instant?

    /// How many freed bytes are to be given back now; `nil` if none are.
    /// - Parameters:
    ///   - processorTime: What the process has computed since its start.
    ///   - held: Bytes that the process holds.
    ///   - freed: Tells how many of them it could give back; this takes time, too.
    mutating func freedBytesDue(
        at time: ContinuousClock.Instant, processorTime: Duration, held: Int, freed: () -> Int?
    ) -> Int? {
        defer { last = (time, processorTime) }
        guard let last, held >= Self.freedBytesMin, pauseEnd.map({ $0 <= time }) ?? true else { return nil }
        let isCalm = processorTime - last.processorTime <= last.time.duration(to: time) * Self.calmShare
        guard isCalm || held > Self.heldBytesMax, let bytes = freed(), bytes >= Self.freedBytesMin else { return nil }
        return bytes
    }

    /// Notes that it was given back: it shall never take more than a tenth of the time.
    mutating func gaveBack(
        _ bytes: Int, from start: ContinuousClock.Instant, to end: ContinuousClock.Instant
    ) {
        let isVain = bytes < Self.freedBytesMin / 4
        pauseEnd = end + (isVain ? Self.vainPause : start.duration(to: end) * 10)
    }
}
