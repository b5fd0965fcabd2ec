/// Facts about one thing, a line each: its name, and what it is.
struct FactList {
    private var rows: [(name: String, value: String)] = []

    /// Adds a fact; one that is not known is left out.
    mutating func add(_ name: String, _ value: String?) {
        if let value { rows.append((name, value)) }
    }

    /// Adds several facts of one name, each on a line of its own.
    mutating func add(_ name: String, _ values: [String]) {
        rows += values.enumerated().map { ($0.offset == 0 ? name : "", $0.element) }
    }

    /// The lines, what follows the names lined up.
    var text: String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { $0.name + String(repeating: " ", count: width + 2 - $0.name.count) + $0.value }
            .joined(separator: "\n")
    }
}
