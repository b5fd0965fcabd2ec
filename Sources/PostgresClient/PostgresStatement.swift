/// A statement with `$n` parameters that each connection prepares once, under its name.
///
/// All parts are literals, so that no value ever becomes SQL. A parameter's type follows from the statement; if the
/// context does not give it, write a cast (`$1::bigint`). Names are unique in a program.
package struct PostgresStatement: Sendable {
    /// The name on the server, at most 63 bytes.
    package let name: String
    /// The text.
    package let sql: String

    /// Makes a statement.
    package init(_ name: StaticString, _ sql: StaticString) {
        self.name = name.description
        self.sql = sql.description
    }

    /// Makes a statement from parts of one or more lines, which it may share with others.
    package init(_ name: StaticString, joining parts: StaticString...) {
        self.name = name.description
        sql = parts.map(\.description).joined(separator: "\n")
    }
}
