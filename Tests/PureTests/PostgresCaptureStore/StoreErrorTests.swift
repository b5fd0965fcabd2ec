import CaptureStore
import Testing

@testable import PostgresCaptureStore
@testable import PostgresClient

@Suite("What PostgreSQL's faults mean for the record")
struct StoreErrorTests {
    private func fault(_ state: String) -> StoreError { StoreError(PostgresError(.server(state), "no")) }

    /// A refusal counts for minutes: no mere answer of the server takes it back.
    @Test(arguments: [
        // The server's own: a replica, a full disk, a right taken away.
        ("25006", true), ("53100", true), ("42501", true),
        // What meets whoever asks for anything.
        ("08006", false), ("57P01", false), ("57P05", false), ("53300", false),
        // Our silence, as of a program that was frozen within a transaction.
        ("25P02", false), ("25P03", false), ("25P04", false),
        // What others do.
        ("40001", false), ("40P01", false), ("55P03", false), ("57014", false),
    ])
    func `a refusal is the server's, and not what it makes of our silence`(state: String, isRefusal: Bool) {
        #expect(fault(state).isRefusal == isRefusal)
    }

    @Test(arguments: ["21000", "22003", "22021", "23505", "23514", "54000", "P0001"])
    func `a refusal of what was sent concerns single captures`(state: String) {
        #expect(fault(state).scope == .content && fault(state).mayBeOfOneCapture)
    }

    @Test(arguments: ["XX000", "XX001", "XX002"])
    func `damage concerns whatever comes to it`(state: String) {
        #expect(fault(state).isDamage && fault(state).mayBeOfOneCapture)
    }

    @Test(arguments: ["42883", "42501", "28000", "28P01", "3D000", "0A000", "26000", "25001", "57P01", "40P01"])
    func `what meets everybody concerns no single capture`(state: String) {
        #expect(fault(state).scope == .everybody && !fault(state).mayBeOfOneCapture)
    }

    /// As a server tells them: by the function that refuses.
    @Test(arguments: [
        ("54000", "GetNewTransactionId"), ("54000", "GetNewMultiXactId"), ("54000", "mdextend"),
        ("54000", "mdzeroextend"), ("54000", "ReadBuffer_common"), ("54000", "ExtendBufferedRelShared"),
        // A quota that is used up, and a file system that has become read-only.
        ("XX000", "mdextend"), ("42501", "mdextend"),
    ])
    func `a limit of the server's own meets whoever writes, and is no capture's fault`(state: String, routine: String) {
        let fault = StoreError(PostgresError.server(state, primary: "no", constraint: nil, routine: routine))
        #expect(fault.scope == .limit && !fault.mayBeOfOneCapture && fault.isTransient && fault.isRefusal)
    }

    @Test(arguments: ["_bt_check_third_page", "RelationGetBufferForTuple", "check_stack_depth", "exec_stmt_raise"])
    func `a limit of a row is its content's`(routine: String) {
        let fault = StoreError(PostgresError.server("54000", primary: "no", constraint: nil, routine: routine))
        #expect(fault.scope == .content && !fault.isTransient)
    }

    @Test func `a damaged page is damage, also where the function that reads it may come to a limit`() {
        let fault = StoreError(
            PostgresError.server("XX001", primary: "no", constraint: nil, routine: "ReadBuffer_common"))
        #expect(fault.isDamage && !fault.isTransient)
    }

    /// A disk that fails, a file that is gone, a database that is dropped: the server's, and for later.
    @Test(arguments: ["58000", "58030", "58P01", "57P04", "53100", "53400"])
    func `a server in trouble meets everybody, for now`(state: String) {
        #expect(fault(state).scope == .everybody && fault(state).isTransient)
    }

    @Test func `a server that only reads meets whoever writes, and may be another one soon`() {
        #expect(fault("25006").scope == .writers && fault("25006").isTransient)
    }

    @Test func `a statement that a session has lost is one for later`() {
        #expect(fault("26000").isTransient)
    }

    @Test func `settings that allow no session meet everybody, and a row that cannot be read whoever reads it`() {
        let settings = StoreError(PostgresError(.configuration, "no such file"))
        #expect(settings.scope == .everybody && !settings.isRefusal)
        #expect(settings.description == "store refused 08001: no such file")
        #expect(StoreError(PostgresError(.decoding, "no verdict")).scope == .content)
        #expect(StoreError(PostgresError(.connection, "away")).scope == .everybody)
    }

    @Test func `a fault is told with the server's own code`() {
        #expect(fault("42501").description == "store refused 42501: no")
    }
}
