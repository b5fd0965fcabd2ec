/// Probes of a server that get no answer: what of it is news.
///
/// Probes that are too slow now and then, beside work that is done, count as one change.
struct ProbeSilence: Sendable {
    private let calm: Duration
    private var episode = Episode(calm: .seconds(30))
    /// The last probe without an answer.
    private var lastMiss: ContinuousClock.Instant?
    /// Whether the server was seen to be there since then.
    private var isRefuted = false
    /// From the line that tells it to the line that tells its end.
    private(set) var isTold = false

    /// Begins without any.
    /// - Parameter calm: How long after a probe without an answer a call that has one shows that the server is there.
    init(calm: Duration) {
        self.calm = calm
    }

    /// Whether a probe had no answer, and probes have not been answered for long enough since.
    var isOn: Bool { episode.isOn }

    /// Notes a probe without an answer; returns whether that is to be told.
    ///
    /// If calls had answers after the one before, only the next probe that is missed shows that they have none now.
    mutating func noteMiss(at now: ContinuousClock.Instant) -> Bool {
        let isFirst = episode.begin(at: now)
        defer { (lastMiss, isRefuted) = (now, false) }
        guard !isTold, isFirst || !isRefuted else { return false }
        isTold = true
        return true
    }

    /// Notes a probe that had an answer; returns whether the end is to be told, once none has been missed for long.
    mutating func noteAnswer(at now: ContinuousClock.Instant) -> Bool {
        isRefuted = true
        guard episode.end(at: now) else { return false }
        defer { isTold = false }
        return isTold
    }

    /// Notes a call that had an answer; returns whether it shows for the first time that the server is there.
    mutating func noteCall(at now: ContinuousClock.Instant) -> Bool {
        guard let lastMiss, now - lastMiss >= calm, isTold || !isRefuted else { return false }
        (isRefuted, isTold) = (true, false)
        return true
    }
}
