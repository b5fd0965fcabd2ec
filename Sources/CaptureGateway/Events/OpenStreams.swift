/// The streams that are open, and whom the next change wakes.
struct OpenStreams {
    /// What wakes a stream.
    typealias WakeUps = AsyncStream<Void>.Continuation

    private struct Stream {
        let wakeUps: WakeUps
        let isDevice: Bool
    }

    private let streamsMax: Int
    /// Devices may take three quarters of the places: anybody may register as many devices as they like.
    private var deviceStreamsMax: Int { streamsMax - streamsMax / 4 }
    private var streams: [Int: Stream] = [:]
    /// Those that were not woken since they looked last.
    ///
    /// In a burst of changes there are none, and the next change costs nothing for any stream.
    private var asleep: Set<Int> = []
    /// How many streams are devices'.
    private var devices = 0
    private var lastNumber = 0

    /// - Parameter streamsMax: How many streams there may be at a time.
    init(streamsMax: Int) {
        self.streamsMax = streamsMax
    }

    /// Whether one more stream of such a reader would be refused.
    func isFull(for reader: Reader) -> Bool {
        streams.count >= streamsMax || (reader.isDevice && devices >= deviceStreamsMax)
    }

    /// Gives a stream a place, which the next change wakes; `nil` when there is none for such a reader.
    mutating func add(_ wakeUps: WakeUps, for reader: Reader) -> Int? {
        guard !isFull(for: reader) else { return nil }
        lastNumber += 1
        streams[lastNumber] = Stream(wakeUps: wakeUps, isDevice: reader.isDevice)
        asleep.insert(lastNumber)
        if reader.isDevice { devices += 1 }
        return lastNumber
    }

    /// Frees a stream's place; harmless when it was freed before.
    mutating func remove(_ number: Int) {
        asleep.remove(number)
        if streams.removeValue(forKey: number)?.isDevice == true { devices -= 1 }
    }

    /// Notes that a stream is about to look: what comes from now on wakes it again.
    mutating func looks(_ number: Int) {
        if streams[number] != nil { asleep.insert(number) }
    }

    /// Those whom a change wakes; until they look, no other change wakes them again.
    mutating func takeAsleep() -> [WakeUps] {
        guard !asleep.isEmpty else { return [] }
        defer { asleep.removeAll(keepingCapacity: true) }
        return asleep.compactMap { streams[$0]?.wakeUps }
    }

    /// All streams.
    var all: [WakeUps] { streams.values.map(\.wakeUps) }
}
