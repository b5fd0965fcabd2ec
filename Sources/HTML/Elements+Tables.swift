/// The elements that lists and tables are made of, by their names in HTML.
extension Markup {
    /// `<ul>`.
    public static func ul(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("ul", attributes, content)
    }

    /// `<li>`.
    public static func li(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("li", attributes, content)
    }

    /// `<dl>`.
    public static func dl(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("dl", attributes, content)
    }

    /// `<dt>`.
    public static func dt(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("dt", attributes, content)
    }

    /// `<dd>`.
    public static func dd(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("dd", attributes, content)
    }

    /// `<table>`.
    public static func table(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("table", attributes, content)
    }

    /// `<caption>`.
    public static func caption(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("caption", attributes, content)
    }

    /// `<thead>`.
    public static func thead(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("thead", attributes, content)
    }

    /// `<tbody>`.
    public static func tbody(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("tbody", attributes, content)
    }

    /// `<tr>`.
    public static func tr(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("tr", attributes, content)
    }

    /// `<th>`.
    public static func th(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("th", attributes, content)
    }

    /// `<td>`.
    public static func td(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("td", attributes, content)
    }
}
