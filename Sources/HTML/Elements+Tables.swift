/// The elements of lists and tables, by their names in HTML.
extension Markup {
    /// `<li>`.
    package static func li(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("li", attributes, content)
    }

    /// `<dl>`.
    package static func dl(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("dl", attributes, content)
    }

    /// `<dt>`.
    package static func dt(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("dt", attributes, content)
    }

    /// `<dd>`.
    package static func dd(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("dd", attributes, content)
    }

    /// `<table>`.
    package static func table(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("table", attributes, content)
    }

    /// `<caption>`.
    package static func caption(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("caption", attributes, content)
    }

    /// `<thead>`.
    package static func thead(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("thead", attributes, content)
    }

    /// `<tbody>`.
    package static func tbody(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("tbody", attributes, content)
    }

    /// `<tr>`.
    package static func tr(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("tr", attributes, content)
    }

    /// `<th>`.
    package static func th(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("th", attributes, content)
    }

    /// `<td>`.
    package static func td(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("td", attributes, content)
    }
}
