/// A page of a list as JSON: its rows under the list's name, and `next`, which is null on the last page.
struct ListPage<Row: Encodable>: Encodable {
    /// What the list calls its rows.
    let name: String
    let rows: [Row]
    /// Where the next page begins.
    let next: String?

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(rows, forKey: Key(name))
        try container.encode(next, forKey: Key("next"))
    }
}
