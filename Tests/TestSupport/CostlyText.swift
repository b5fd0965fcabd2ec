/// A text that is expensive to compare: marks of falling combining classes, which Unicode has a reader put in order first.
///
/// Swift takes the square of its length for that, minutes for what is asked for here.
package enum CostlyText {
    /// One mark of each class, from 240 down to 1.
    private static let marks = "\u{345}\u{360}\u{35C}\u{301}\u{323}\u{31B}\u{327}\u{334}"

    /// So many bytes of it at the most.
    package static func bytes(_ count: Int) -> String {
        let each = count / 2 / marks.unicodeScalars.count
        return marks.unicodeScalars.map { String(repeating: String($0), count: each) }.joined()
    }
}
