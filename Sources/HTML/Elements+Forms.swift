/// The elements of forms, by their names in HTML.
extension Markup {
    /// `<form>`.
    package static func form(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("form", attributes, content)
    }

    /// `<label>`.
    package static func label(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("label", attributes, content)
    }

    /// `<button>`.
    package static func button(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("button", attributes, content)
    }

    /// `<select>`.
    package static func select(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("select", attributes, content)
    }

    /// `<option>`.
    package static func option(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("option", attributes, content)
    }

    /// `<output>`.
    package static func output(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("output", attributes, content)
    }

    /// `<input>`, which has no content.
    package static func input(_ attributes: Attribute...) -> Markup { void("input", attributes) }
}
