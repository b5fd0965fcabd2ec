/// A statement with `$n` parameters that each connection prepares once, under its name.
///
/// All parts are literals, so that no value ever becomes SQL. Parameters take the type that the statement gives them:
/// where the context does not, write a cast (`$1::bigint`). Names are unique in a program.
package struct PostgresStatement: Sendable {
    /// The name on the server, at most 63 bytes.
    package let name: String
    /// The text.
    package let sql: String

    /// Names a statement.
    package init(_ name: StaticString, _ sql: StaticString) {
        self.name = name.description
        self.sql = sql.description
    }

    /// Names a statement that shares parts of its text with others, a line each or several.
    package init(_ name: StaticString, joining parts: StaticString...) {
        self.name = name.description
        sql = parts.map(\.description).joined(separator: "\n")
    }
}
