import Synchronization

/// Portions of a batch, which several threads work.
enum Portions {
    private typealias Done<Value> = (portion: Int, values: [Value])

    /// Cuts `count` elements into portions of a size; the last may be smaller.
    static func ranges(of count: Int, size: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
    }

    /// The results of the work, in the order of the portions; each thread takes portion after portion.
    ///
    /// A single portion is worked by the caller: to wake a thread for it would only take time.
    static func map<Value: Sendable>(
        _ ranges: [Range<Int>], concurrency: Int, _ work: @escaping @Sendable (Range<Int>) -> [Value]
    ) async -> [Value] {
        if ranges.count == 1 { return work(ranges[0]) }
        let next = Next()
        return await withTaskGroup(of: [Done<Value>].self) { group in
            for _ in 0..<min(concurrency, ranges.count) {
                group.addTask {
                    var done: [Done<Value>] = []
                    while case let portion = next.take(), portion < ranges.count {
                        done.append((portion, work(ranges[portion])))
                    }
                    return done
                }
            }
            var done: [Done<Value>] = await group.reduce(into: []) { $0 += $1 }
            done.sort { $0.portion < $1.portion }
            return done.flatMap(\.values)
        }
    }

    /// Hands out 0, 1, 2, … to whoever asks, each once.
    private final class Next: Sendable {
        private let number = Atomic(0)

        func take() -> Int {
            number.add(1, ordering: .relaxed).oldValue
        }
    }
}
