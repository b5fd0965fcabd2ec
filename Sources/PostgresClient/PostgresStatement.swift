/// A statement with `$n` parameters that each connection prepares once, under its name.
///
/// Both parts are literals, so that no value ever becomes SQL. Parameters take the type that the statement gives them:
/// where the context does not, write a cast (`$1::bigint`). Names are unique in a program.
public struct PostgresStatement: Sendable {
    /// The name on the server, at most 63 bytes.
    public let name: String
    /// The text.
    public let sql: String

    /// Names a statement.
    public init(_ name: StaticString, _ sql: StaticString) {
        self.name = name.description
        self.sql = sql.description
    }
}
