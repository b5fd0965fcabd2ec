/// Puts pieces together; text among them is escaped.
@resultBuilder
public enum MarkupBuilder {
    /// A piece.
    public static func buildExpression(_ piece: Markup) -> Markup { piece }
    /// Text.
    public static func buildExpression(_ text: String) -> Markup { Markup(text) }
    /// A number.
    public static func buildExpression(_ number: Int) -> Markup { Markup(String(number)) }
    /// Pieces of a list.
    public static func buildExpression(_ pieces: [Markup]) -> Markup { .joined(pieces) }
    /// One after the other.
    public static func buildBlock(_ pieces: Markup...) -> Markup { .joined(pieces) }
    /// A piece that may not be there.
    public static func buildOptional(_ piece: Markup?) -> Markup { piece ?? .empty }
    /// One of two.
    public static func buildEither(first piece: Markup) -> Markup { piece }
    /// One of two.
    public static func buildEither(second piece: Markup) -> Markup { piece }
    /// As many as a loop makes.
    public static func buildArray(_ pieces: [Markup]) -> Markup { .joined(pieces) }
}
