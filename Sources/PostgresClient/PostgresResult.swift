/// What a statement returned: all of its rows, copied out of libpq.
package struct PostgresResult: Sendable {
    /// A column as the server describes it.
    struct Column: Sendable, Equatable {
        let name: String
        let type: PostgresType
    }

    /// The command's tag, such as `INSERT 0 1` or `COMMIT`.
    package let commandTag: String
    /// How many rows a command without a result table affected; 0 if that does not apply.
    package let rowsAffected: Int
    /// How many rows there are.
    package let count: Int
    let columns: [Column]
    /// All values, one after the other.
    let bytes: [UInt8]
    /// Where each value is, row by row; `nil` for NULL.
    let cells: [Range<Int>?]

    /// The rows in the server's order.
    package var rows: some RandomAccessCollection<PostgresRow> {
        (0..<count).lazy.map { PostgresRow(result: self, index: $0) }
    }

    /// The first row, if there is one.
    package var first: PostgresRow? { count > 0 ? PostgresRow(result: self, index: 0) : nil }

    /// Where a column's value in a row is, and of which type.
    func cell(row: Int, column name: String) throws(PostgresError) -> (range: Range<Int>?, type: PostgresType) {
        guard let column = columns.firstIndex(where: { $0.name == name }) else {
            throw PostgresError(.decoding, "no column \(name)")
        }
        return (cells[row * columns.count + column], columns[column].type)
    }
}
