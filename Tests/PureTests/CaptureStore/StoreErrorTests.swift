import CaptureStore
import Testing

@Suite("What the record's faults mean")
struct StoreErrorTests {
    /// A refusal counts for minutes: no mere answer of the server takes it back.
    @Test(arguments: [
        // The server's own: a replica, a full disk, a right taken away.
        ("25006", true), ("53100", true), ("42501", true),
        // What meets whoever asks for anything.
        ("08006", false), ("57P01", false), ("57P05", false), ("53300", false),
        // Our silence, as of a program that was frozen within a transaction.
        ("25P02", false), ("25P03", false), ("25P04", false),
    ])
    func `a refusal is the server's, and not what it makes of our silence`(state: String, isRefusal: Bool) {
        for code in [StoreError.Code.unavailable, .refused] {
            #expect(StoreError(code, "no", sqlState: state).isRefusal == isRefusal)
        }
    }
}
