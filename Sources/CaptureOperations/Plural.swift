/// Numbers with their nouns, the same wherever operators read them.
package enum Plural {
    /// A number with its noun: `1 capture`, `3 captures`, `10000 or more captures`.
    /// - Parameter number: How the number is written.
    package static func text(
        _ count: Int, _ noun: String, orMore: Bool = false, number: (Int) -> String = { "\($0)" }
    ) -> String {
        "\(number(count))\(orMore ? " or more" : "") \(noun)\(count == 1 ? "" : "s")"
    }
}
