/// The server's functions whose names in an error tell more than its SQLSTATE (PostgreSQL manual, "Error and Notice
/// Message Fields", `R`).
enum ServerRoutine {
    /// Looks whether a prepared statement still fits the schema.
    static let revalidation = "RevalidateCachedQuery"
    /// Gives out transaction ids.
    static let transactionIDs = "GetNewTransactionId"
    /// Make a table's or an index's file longer.
    static let extending: Set<String> = ["mdextend", "mdzeroextend"]
    /// Refuse with 54000 when ids are used up, or a table or index has all the pages that it may have.
    static let atLimits: Set<String> = [
        transactionIDs, "GetNewMultiXactId", "ReadBuffer_common", "ExtendBufferedRelShared",
    ]
}
