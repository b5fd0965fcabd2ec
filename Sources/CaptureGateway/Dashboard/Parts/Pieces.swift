import HTML

/// Names and what belongs to them.
func facts(_ rows: [(name: String, value: Markup)]) -> Markup {
    Markup.dl("class" => "facts") {
        for (name, value) in rows {
            Markup.div {
                Markup.dt { name }
                Markup.dd { value }
            }
        }
    }
}

/// A part of a page with its own heading.
func card(_ title: String, id: String, @MarkupBuilder _ content: () -> Markup) -> Markup {
    Markup.section("class" => "card", "id" => id, "aria-labelledby" => "\(id)-title") {
        Markup.h2("id" => "\(id)-title") { title }
        content()
    }
}

/// What may be wider than the screen: scrolled by itself, also with the keyboard.
func scrollable(_ name: String, @MarkupBuilder _ content: () -> Markup) -> Markup {
    Markup.div("class" => "scroll", "role" => "region", "aria-label" => name, "tabindex" => "0", content: content)
}
