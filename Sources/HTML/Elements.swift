/// The elements that a page and its text are made of, by their names in HTML.
extension Markup {
    /// `<html>`.
    public static func html(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("html", attributes, content)
    }

    /// `<head>`.
    public static func head(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("head", attributes, content)
    }

    /// `<title>`.
    public static func title(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("title", attributes, content)
    }

    /// `<body>`.
    public static func body(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("body", attributes, content)
    }

    /// `<header>`.
    public static func header(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("header", attributes, content)
    }

    /// `<main>`.
    public static func main(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("main", attributes, content)
    }

    /// `<nav>`.
    public static func nav(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("nav", attributes, content)
    }

    /// `<footer>`.
    public static func footer(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("footer", attributes, content)
    }

    /// `<section>`.
    public static func section(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("section", attributes, content)
    }

    /// `<h1>`.
    public static func h1(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("h1", attributes, content)
    }

    /// `<h2>`.
    public static func h2(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("h2", attributes, content)
    }

    /// `<p>`.
    public static func p(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("p", attributes, content)
    }

    /// `<div>`.
    public static func div(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("div", attributes, content)
    }

    /// `<span>`.
    public static func span(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("span", attributes, content)
    }

    /// `<a>`.
    public static func a(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("a", attributes, content)
    }

    /// `<bdi>`: text of somebody else's, whose direction stays its own.
    public static func bdi(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("bdi", attributes, content)
    }

    /// `<time>`.
    public static func time(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("time", attributes, content)
    }

    /// `<code>`.
    public static func code(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("code", attributes, content)
    }

    /// `<strong>`.
    public static func strong(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("strong", attributes, content)
    }

    /// `<small>`.
    public static func small(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("small", attributes, content)
    }

    /// `<details>`.
    public static func details(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("details", attributes, content)
    }

    /// `<summary>`.
    public static func summary(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("summary", attributes, content)
    }

    /// `<figure>`.
    public static func figure(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("figure", attributes, content)
    }

    /// `<figcaption>`.
    public static func figcaption(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("figcaption", attributes, content)
    }

    /// `<meta>`, which has no content.
    public static func meta(_ attributes: Attribute...) -> Markup { void("meta", attributes) }

    /// `<link>`, which has no content.
    public static func link(_ attributes: Attribute...) -> Markup { void("link", attributes) }

    /// `<img>`, which has no content.
    public static func img(_ attributes: Attribute...) -> Markup { void("img", attributes) }

    /// `<br>`, which has no content.
    public static func br(_ attributes: Attribute...) -> Markup { void("br", attributes) }
}
