/// Joins pieces of markup; text among them is escaped.
@resultBuilder
package enum MarkupBuilder {
    /// A piece.
    package static func buildExpression(_ piece: Markup) -> Markup { piece }
    /// Text.
    package static func buildExpression(_ text: String) -> Markup { Markup(text) }
    /// A number.
    package static func buildExpression(_ number: Int) -> Markup { Markup(String(number)) }
    /// Pieces of a list.
    package static func buildExpression(_ pieces: [Markup]) -> Markup { .joined(pieces) }
    /// Pieces one after the other.
    package static func buildBlock(_ pieces: Markup...) -> Markup { .joined(pieces) }
    /// A piece that may be absent.
    package static func buildOptional(_ piece: Markup?) -> Markup { piece ?? .empty }
    /// One of two pieces.
    package static func buildEither(first piece: Markup) -> Markup { piece }
    /// One of two pieces.
    package static func buildEither(second piece: Markup) -> Markup { piece }
    /// The pieces of a loop.
    package static func buildArray(_ pieces: [Markup]) -> Markup { .joined(pieces) }
}
