/// Dead letters from a place in their order.
package struct DeadLetterPage: Sendable, Equatable {
    /// How many letters one page has at the most.
    package static let lettersMax = 1_000

    /// The letters whose jobs can be read, oldest first; the doctor reports the others.
    package let letters: [DeadLetter]
    /// The place after which there may be more letters; `nil` when there are none.
    package let next: DeadLetter.Position?

    /// Memberwise.
    package init(letters: [DeadLetter], next: DeadLetter.Position?) {
        self.letters = letters
        self.next = next
    }
}
