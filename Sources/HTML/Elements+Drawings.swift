/// The elements of drawings, by their names in SVG.
extension Markup {
    /// `<svg>`.
    package static func svg(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("svg", attributes, content)
    }

    /// `<g>`.
    package static func g(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("g", attributes, content)
    }

    /// `<rect>` of SVG; what it holds is its title.
    package static func rect(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup = { .empty }) -> Markup {
        element("rect", attributes, content)
    }

    /// `<line>` of SVG; what it holds is its title.
    package static func line(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup = { .empty }) -> Markup {
        element("line", attributes, content)
    }

    /// `<polyline>` of SVG; what it holds is its title.
    package static func polyline(
        _ attributes: Attribute..., @MarkupBuilder content: () -> Markup = { .empty }
    ) -> Markup {
        element("polyline", attributes, content)
    }
}
