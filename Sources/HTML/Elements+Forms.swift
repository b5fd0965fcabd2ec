/// The elements that a form is made of, by their names in HTML.
extension Markup {
    /// `<form>`.
    public static func form(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("form", attributes, content)
    }

    /// `<label>`.
    public static func label(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("label", attributes, content)
    }

    /// `<button>`.
    public static func button(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("button", attributes, content)
    }

    /// `<select>`.
    public static func select(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("select", attributes, content)
    }

    /// `<option>`.
    public static func option(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("option", attributes, content)
    }

    /// `<output>`.
    public static func output(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("output", attributes, content)
    }

    /// `<input>`, which has no content.
    public static func input(_ attributes: Attribute...) -> Markup { void("input", attributes) }
}
