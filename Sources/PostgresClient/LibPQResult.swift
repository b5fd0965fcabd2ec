import CLibPQ

/// One `PGresult`, freed with this value.
@safe struct LibPQResult: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes ownership of a result of `PQgetResult`.
    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit { unsafe PQclear(pointer) }

    private var status: ExecStatusType { unsafe PQresultStatus(pointer) }

    /// Whether the statement was a COPY, which this client does not speak.
    var isCopy: Bool { [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(status) }

    /// Whether the server ended the session with this answer.
    var isFatal: Bool { ["FATAL", "PANIC"].contains(field("V")) }

    /// Copies everything out.
    func read() throws(PostgresError) -> PostgresResult {
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return copy()
        default:
            guard let state = field("C") else {
                // libpq made this error up itself: the answer never came.
                let words = unsafe PQresultErrorMessage(pointer).map { unsafe String(cString: $0) } ?? ""
                throw PostgresError(.outcomeUnknown, words.oneLine)
            }
            throw .server(
                state, primary: (field("M") ?? "").oneLine, constraint: field("n"), routine: field("R"))
        }
    }

    private func field(_ code: Character) -> String? { unsafe Self.field(code, of: pointer) }

    /// A field of an error or a notice by its letter: PostgreSQL manual, "Error and Notice Message Fields".
    static func field(_ code: Character, of result: OpaquePointer?) -> String? {
        let letter = Int32(code.asciiValue ?? 0)
        return unsafe PQresultErrorField(result, letter).map { unsafe String(cString: $0) }
    }

    private func copy() -> PostgresResult {
        let rows = Int(unsafe PQntuples(pointer))
        let fields = unsafe PQnfields(pointer)
        let columns = (0..<fields).map { column in
            PostgresResult.Column(
                name: unsafe PQfname(pointer, column).map { unsafe String(cString: $0) } ?? "",
                type: PostgresType(oid: unsafe PQftype(pointer, column))
            )
        }
        var bytes: [UInt8] = []
        var cells: [Range<Int>?] = []
        cells.reserveCapacity(rows * columns.count)
        for row in 0..<Int32(rows) {
            for column in 0..<Int32(columns.count) {
                cells.append(append(row, column, to: &bytes))
            }
        }
        let tag = unsafe PQcmdStatus(pointer).map { unsafe String(cString: $0) } ?? ""
        let affected = unsafe PQcmdTuples(pointer).map { unsafe String(cString: $0) } ?? ""
        return PostgresResult(
            commandTag: tag, rowsAffected: Int(affected) ?? 0, count: rows, columns: columns, bytes: bytes, cells: cells
        )
    }

    private func append(_ row: Int32, _ column: Int32, to bytes: inout [UInt8]) -> Range<Int>? {
        guard unsafe PQgetisnull(pointer, row, column) == 0, let value = unsafe PQgetvalue(pointer, row, column) else {
            return nil
        }
        let start = bytes.count
        let length = Int(unsafe PQgetlength(pointer, row, column))
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: value, count: length))
        return start..<bytes.count
    }
}
