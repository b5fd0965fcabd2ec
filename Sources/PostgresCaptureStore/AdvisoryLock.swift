import PostgresClient

/// The advisory locks of these programs; each number is unique and spells ASCII text.
enum AdvisoryLock: Int64 {
    /// Guards each step of the schema: `capt`.
    case migrations = 0x6361_7074
    /// Guards the reconciler's work, one gateway at a time: `inta`.
    case intake = 0x696E_7461

    /// The parameters of its statements.
    var values: [PostgresValue] { [.int8(rawValue)] }
}
