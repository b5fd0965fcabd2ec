/// The parts of a group that is tried as a whole, and halved where it fails until the culprit is alone.
///
/// It only keeps the parts in the order of the group; the caller tries them. A part that succeeds is done. As long as
/// only halves are put back, a group of n items takes at most 2n − 1 tries.
///
/// ```swift
/// var parts = Bisection(captures)
/// while let part = parts.next() {
///     guard let fault = await fault(of: part) else { continue }
///     if !parts.halve(part) { refuse(part, for: fault) }
/// }
/// ```
package struct Bisection<Item> {
    /// The next part is the last one here; none is empty.
    private var waiting: [ArraySlice<Item>] = []

    /// Begins with the whole group as the only part; an empty group has none.
    package init(_ group: [Item]) {
        putFirst([group[...]])
    }

    /// Whether no part waits for its try.
    package var isEmpty: Bool { waiting.isEmpty }

    /// The items of all parts that wait, in their order.
    package var rest: [Item] { waiting.reversed().flatMap(\.self) }

    /// Takes the next part out, which is never empty; `nil` when no part waits.
    package mutating func next() -> ArraySlice<Item>? { waiting.popLast() }

    /// Puts both halves of a part back, so that they come next; returns `false` for a single item, the culprit.
    package mutating func halve(_ part: ArraySlice<Item>) -> Bool {
        guard part.count > 1 else { return false }
        putFirst(part.halves)
        return true
    }

    /// Puts parts before all others; empty ones are left out.
    package mutating func putFirst(_ parts: [ArraySlice<Item>]) {
        waiting += parts.reversed().filter { !$0.isEmpty }
    }

    /// Takes items out that are not to be tried any more.
    package mutating func drop(where isDone: (Item) -> Bool) {
        waiting = waiting.map { part in part.filter { !isDone($0) }[...] }.filter { !$0.isEmpty }
    }
}

extension Bisection: Sendable where Item: Sendable {}

extension ArraySlice {
    /// Both halves, the second one longer by an item if the number is odd; only itself if it has fewer than two items.
    package var halves: [ArraySlice] {
        guard count > 1 else { return [self] }
        let middle = startIndex + count / 2
        return [self[..<middle], self[middle...]]
    }
}
