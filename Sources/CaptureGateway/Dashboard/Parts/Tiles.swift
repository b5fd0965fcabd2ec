import HTML

/// Numbers that are seen first.
struct Tile: Sendable {
    let title: String
    let value: String
    var hint = ""
    /// `good`, `warn` or `bad`; empty for a number that is none of these.
    var mood = ""

    static func row(_ tiles: [Tile]) -> Markup {
        Markup.dl("class" => "tiles") {
            for tile in tiles {
                Markup.div("class" => "tile \(tile.mood)") {
                    Markup.dt { tile.title }
                    Markup.dd {
                        Markup.strong { tile.value }
                        if !tile.hint.isEmpty { Markup.small { tile.hint } }
                    }
                }
            }
        }
    }
}

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
