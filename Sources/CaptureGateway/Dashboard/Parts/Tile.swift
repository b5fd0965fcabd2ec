import HTML

/// Numbers that are seen first.
struct Tile: Sendable {
    let title: String
    let value: String
    var hint = ""
    /// `good`, `warn` or `bad`; empty for a number that is none of these.
    var mood = ""
    /// The page that has what is counted; `nil` for a number that leads nowhere.
    var address: String?

    static func row(_ tiles: [Tile]) -> Markup {
        Markup.dl("class" => "tiles") {
            for tile in tiles {
                Markup.div("class" => "tile \(tile.mood)") {
                    Markup.dt {
                        if let address = tile.address {
                            Markup.a("href" => address) { tile.title }
                        } else {
                            tile.title
                        }
                    }
                    Markup.dd {
                        Markup.strong { tile.value }
                        if !tile.hint.isEmpty { Markup.small { tile.hint } }
                    }
                }
            }
        }
    }
}
