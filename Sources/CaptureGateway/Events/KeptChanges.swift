import CaptureModel
import CaptureQueue

/// The latest state changes, numbered by their places, each with its text as it stands in events.
///
/// A change becomes text once, when it comes, however many streams tell it. If each stream made its own, a burst of
/// changes would keep the event loops from everything else.
struct KeptChanges {
    /// What comes after a place.
    enum News<Changes: Sendable & Equatable>: Equatable {
        /// These changes, oldest first, and the place after them.
        case changes(Changes, next: Int)
        /// Changes were missed, or may have been: everything is to be read again, from this place on.
        case gap(next: Int)
    }

    private let keptMax: Int
    private let write: @Sendable (StateChange) -> String
    private var changes: [StateChange] = []
    /// The texts of the changes, with a comma after each.
    private var texts: [UInt8] = []
    /// Where in the texts that of each change ends.
    private var ends: [Int] = []
    /// The place of the first change.
    private var first = 0

    /// - Parameters:
    ///   - keptMax: How many changes are kept; now and then up to twice as many.
    ///   - write: Writes a change as an element of a JSON array.
    init(keptMax: Int, write: @escaping @Sendable (StateChange) -> String) {
        self.keptMax = keptMax
        self.write = write
    }

    /// The place after the latest change.
    var next: Int { first + changes.count }

    /// Takes in a change.
    mutating func add(_ change: StateChange) {
        changes.append(change)
        texts.append(contentsOf: write(change).utf8)
        texts.append(UInt8(ascii: ","))
        ends.append(texts.count)
        // In steps, so that not every change moves all the others.
        if changes.count >= 2 * keptMax { forgetFirst(changes.count - keptMax) }
    }

    private mutating func forgetFirst(_ count: Int) {
        let bytes = start(of: count)
        texts.removeFirst(bytes)
        ends = ends[count...].map { $0 - bytes }
        changes.removeFirst(count)
        first += count
    }

    /// Forgets all changes: from now on every place so far has a gap behind it.
    mutating func forgetAll() {
        first = next + 1
        changes = []
        texts = []
        ends = []
    }

    /// The changes that came after a place, at most `limit`.
    func changes(after place: Int, limit: Int) -> News<[StateChange]> {
        news(after: place, limit: limit) { Array(changes[$0]) }
    }

    /// The same as the elements of a JSON array.
    func text(after place: Int, limit: Int) -> News<String> {
        news(after: place, limit: limit) { found in
            // Without the last comma.
            String(decoding: texts[start(of: found.lowerBound)..<start(of: found.upperBound)].dropLast(), as: UTF8.self)
        }
    }

    /// Where the text of a change begins; of the one that is to come, too.
    private func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    private func news<Changes: Sendable & Equatable>(
        after place: Int, limit: Int, _ tell: (Range<Int>) -> Changes
    ) -> News<Changes> {
        guard place >= first, place <= next else { return .gap(next: next) }
        let from = place - first
        let end = from + min(limit, changes.count - from)
        return .changes(tell(from..<end), next: first + end)
    }
}

extension StateChange {
    /// The change as JSON, its keys in order, as it stands in events.
    ///
    /// Written by hand, in an eighth of the time that an encoder takes: nothing in ids and words needs an escape.
    var eventText: String {
        #"{"capture_id":"\#(capture)","device_id":"\#(device)","status":"\#(news.word)"}"#
    }
}
