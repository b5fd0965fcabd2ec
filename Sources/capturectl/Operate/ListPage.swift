import CaptureModel

/// A page of a list as JSON: its rows under the list's name, and `next`, which is null on the last page.
struct ListPage<Row: Encodable>: Encodable {
    /// What the list calls its rows.
    let name: String
    let rows: [Row]
    /// Where the next page begins.
    let next: String?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(rows, forKey: MemberName(stringValue: name))
        try container.encode(next, forKey: "next")
    }
}
