/// The elements of a page and its text, by their names in HTML.
extension Markup {
    /// `<html>`.
    package static func html(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("html", attributes, content)
    }

    /// `<head>`.
    package static func head(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("head", attributes, content)
    }

    /// `<title>`.
    package static func title(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("title", attributes, content)
    }

    /// `<body>`.
    package static func body(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("body", attributes, content)
    }

    /// `<header>`.
    package static func header(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("header", attributes, content)
    }

    /// `<main>`.
    package static func main(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("main", attributes, content)
    }

    /// `<nav>`.
    package static func nav(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("nav", attributes, content)
    }

    /// `<footer>`.
    package static func footer(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("footer", attributes, content)
    }

    /// `<section>`.
    package static func section(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("section", attributes, content)
    }

    /// `<h1>`.
    package static func h1(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("h1", attributes, content)
    }

    /// `<h2>`.
    package static func h2(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("h2", attributes, content)
    }

    /// `<p>`.
    package static func p(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("p", attributes, content)
    }

    /// `<div>`.
    package static func div(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("div", attributes, content)
    }

    /// `<span>`.
    package static func span(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("span", attributes, content)
    }

    /// `<a>`.
    package static func a(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("a", attributes, content)
    }

    /// `<bdi>`: somebody else's text, which keeps its own direction.
    package static func bdi(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("bdi", attributes, content)
    }

    /// `<time>`.
    package static func time(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("time", attributes, content)
    }

    /// `<code>`.
    package static func code(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("code", attributes, content)
    }

    /// `<strong>`.
    package static func strong(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("strong", attributes, content)
    }

    /// `<small>`.
    package static func small(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("small", attributes, content)
    }

    /// `<details>`.
    package static func details(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("details", attributes, content)
    }

    /// `<summary>`.
    package static func summary(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("summary", attributes, content)
    }

    /// `<figure>`.
    package static func figure(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("figure", attributes, content)
    }

    /// `<figcaption>`.
    package static func figcaption(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("figcaption", attributes, content)
    }

    /// `<meta>`, which has no content.
    package static func meta(_ attributes: Attribute...) -> Markup { void("meta", attributes) }

    /// `<link>`, which has no content.
    package static func link(_ attributes: Attribute...) -> Markup { void("link", attributes) }

    /// `<img>`, which has no content.
    package static func img(_ attributes: Attribute...) -> Markup { void("img", attributes) }
}
