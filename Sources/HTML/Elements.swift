/// The elements that pages are made of, by their names in HTML and SVG.
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

    /// `<article>`.
    public static func article(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("article", attributes, content)
    }

    /// `<h1>`.
    public static func h1(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("h1", attributes, content)
    }

    /// `<h2>`.
    public static func h2(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("h2", attributes, content)
    }

    /// `<h3>`.
    public static func h3(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("h3", attributes, content)
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

    /// `<fieldset>`.
    public static func fieldset(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("fieldset", attributes, content)
    }

    /// `<legend>`.
    public static func legend(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("legend", attributes, content)
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

    /// `<script>`.
    public static func script(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("script", attributes, content)
    }

    /// `<svg>`.
    public static func svg(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("svg", attributes, content)
    }

    /// `<g>`.
    public static func g(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("g", attributes, content)
    }

    /// `<desc>`.
    public static func desc(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("desc", attributes, content)
    }

    /// `<figure>`.
    public static func figure(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("figure", attributes, content)
    }

    /// `<figcaption>`.
    public static func figcaption(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("figcaption", attributes, content)
    }

    /// `<output>`.
    public static func output(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup) -> Markup {
        element("output", attributes, content)
    }

    /// `<meta>`, which has no content.
    public static func meta(_ attributes: Attribute...) -> Markup { void("meta", attributes) }

    /// `<link>`, which has no content.
    public static func link(_ attributes: Attribute...) -> Markup { void("link", attributes) }

    /// `<input>`, which has no content.
    public static func input(_ attributes: Attribute...) -> Markup { void("input", attributes) }

    /// `<img>`, which has no content.
    public static func img(_ attributes: Attribute...) -> Markup { void("img", attributes) }

    /// `<br>`, which has no content.
    public static func br(_ attributes: Attribute...) -> Markup { void("br", attributes) }

    /// `<hr>`, which has no content.
    public static func hr(_ attributes: Attribute...) -> Markup { void("hr", attributes) }

    /// `<rect>` of SVG; what it holds is its title.
    public static func rect(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup = { .empty }) -> Markup {
        element("rect", attributes, content)
    }

    /// `<line>` of SVG; what it holds is its title.
    public static func line(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup = { .empty }) -> Markup {
        element("line", attributes, content)
    }

    /// `<polyline>` of SVG; what it holds is its title.
    public static func polyline(_ attributes: Attribute..., @MarkupBuilder content: () -> Markup = { .empty }) -> Markup
    {
        element("polyline", attributes, content)
    }
}
