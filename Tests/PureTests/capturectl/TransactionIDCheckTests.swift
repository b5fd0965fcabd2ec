import PostgresCaptureStore
import Testing

@testable import capturectl

@Suite("The doctor's look at PostgreSQL's transaction ids")
struct TransactionIDCheckTests {
    @Test(arguments: [
        (199_000_000, 0, DoctorCheck.State.ok), (999_999_999, 999_999_999, .ok), (1_000_000_000, 0, .note),
        (0, 1_000_000_000, .note), (2_000_000_000, 0, .problem), (0, 2_000_000_000, .problem),
        (2_144_483_647, 3, .problem),
    ])
    func `ids that vacuum does not free are a note, and a problem before PostgreSQL refuses writes`(
        used: Int, multixactsUsed: Int, state: DoctorCheck.State
    ) {
        let line = TransactionIDCheck.line(TransactionIDs(used: used, multixactsUsed: multixactsUsed))
        #expect(line.name == "transaction ids" && line.state == state)
        let words = [used, multixactsUsed].map { $0 < 1_000_000 ? "less than a million" : "\($0 / 1_000_000) million" }
        #expect(line.found == "\(words[0]) transaction ids are in use, and \(words[1]) multixact ids")
        #expect((line.repair == nil) == (state == .ok))
    }

    @Test func `what PostgreSQL refuses goes by the ids that are used up`() {
        let ids = TransactionIDCheck.line(TransactionIDs(used: 2_100_000_000, multixactsUsed: 7))
        #expect(ids.meaning?.contains("refuses every write: uploads and registrations get 503") == true, "\(ids)")
        let locks = TransactionIDCheck.line(TransactionIDs(used: 7, multixactsUsed: 2_100_000_000))
        #expect(locks.meaning?.contains("refuses each row lock that several transactions share") == true, "\(locks)")
    }

    @Test(arguments: [
        (
            TransactionIDs.Holder(isSlot: true, name: "old", ids: 0, logBytes: 3 << 30),
            "replication slot old: less than a million ids, 3 GiB of WAL"
        ),
        (.init(isSlot: true, name: "old", ids: 10_000_000), "replication slot old: 10 million ids, 0 B of WAL"),
        (
            .init(isSlot: false, name: "gone", ids: 7, age: .seconds(7200)),
            "prepared transaction gone: 2 h old, less than a million ids"
        ),
    ])
    func `what was forgotten and holds ids or the log back is a note while there are ids`(
        holder: TransactionIDs.Holder, words: String
    ) {
        let line = TransactionIDCheck.line(TransactionIDs(used: 5, multixactsUsed: 0, holders: [holder]))
        #expect(line.state == .note && line.examples == [words])
        #expect(line.found.hasSuffix("; 1 thing may hold them back"), "\(line.found)")
        let late = TransactionIDCheck.line(TransactionIDs(used: 2_100_000_000, multixactsUsed: 0, holders: [holder]))
        #expect(late.state == .problem && late.examples == [words])
    }

    @Test(arguments: [
        TransactionIDs.Holder(isSlot: true, name: "standby", ids: 9_999_999, logBytes: (1 << 30) - 1),
        .init(isSlot: false, name: "one", ids: 3, age: .seconds(3599)),
    ])
    func `what is in use is no note`(holder: TransactionIDs.Holder) {
        let line = TransactionIDCheck.line(TransactionIDs(used: 5, multixactsUsed: 0, holders: [holder]))
        #expect(line.state == .ok && line.examples.isEmpty)
    }
}
