/// Dead letters from a place in their order.
package struct DeadLetterPage: Sendable, Equatable {
    /// How many letters one page has at the most.
    package static let lettersMax = 1_000

    /// Those whose jobs can be read, oldest first; the doctor tells of the others.
    package let letters: [DeadLetter]
    /// After which place there may be more; `nil` when there are none.
    package let next: DeadLetter.Position?

    /// Puts a page together.
    package init(letters: [DeadLetter], next: DeadLetter.Position?) {
        self.letters = letters
        self.next = next
    }
}
