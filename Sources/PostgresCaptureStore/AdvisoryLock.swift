import PostgresClient

/// The advisory locks of these programs: their numbers are ASCII, and none is taken twice.
enum AdvisoryLock: Int64 {
    /// Around each step of the schema: `capt`.
    case migrations = 0x6361_7074
    /// Around the reconciler's work, one gateway at a time: `inta`.
    case intake = 0x696E_7461

    /// What its statements take.
    var values: [PostgresValue] { [.int8(rawValue)] }
}
