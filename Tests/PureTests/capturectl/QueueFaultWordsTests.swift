import TestSupport
import Testing

@testable import RedisCaptureQueue
@testable import capturectl

@Suite("What the doctor says of the queue's faults")
struct QueueFaultWordsTests {
    /// As the upload route does it: a dead letter for want of its bytes is put back by its bundle, a discarded one is not.
    @Test func `for bytes that are gone the bundle is to be sent again, and nothing to be discarded before`() {
        let repair = QueueFault.jobWithoutBytes.repair
        #expect(repair.contains("sent again brings them back, and the capture with them"), "\(repair)")
        #expect(repair.contains("BUNDLE_MISSING") && repair.contains("discarded it makes another"), "\(repair)")
        #expect(!repair.contains("redrive"), "\(repair)")
    }

    /// What is noted in the audit as repaired is what `--fix` says of itself that it repairs.
    @Test(arguments: QueueFault.allCases)
    func `--fix is promised for what can be mended, and for nothing else`(fault: QueueFault) throws {
        #expect(fault.canBeMended == fault.repair.hasPrefix("--fix "), "\(fault): \(fault.repair)")
        guard fault.kind == .capture else { return }
        let functions = try Repository.text("Sources/RedisCaptureQueue/Functions/mend_capture.lua")
        #expect(fault.canBeMended == functions.contains("\n  \(fault.rawValue) = function("), "\(fault)")
    }

    @Test func `of a queue that was not looked at to its end only what is wrong is told, and nothing called well`() {
        var examination = QueueExamination()
        examination.note(QueueFinding(.jobWithoutLane, "1", partition: 0))
        examination.isWhole = false
        let checks = DoctorReport.checks(of: examination)
        #expect(checks.map(\.name) == [DoctorReport.jobs] && checks.first?.state == .problem)
        #expect(checks.first?.found == "1 × JOB_WITHOUT_LANE so far")
    }

    @Test func `what would read a key of another type is not called well, and nothing is mended beside it`() throws {
        var examination = QueueExamination()
        let keys = try #require(Keyspace(partitions: 2)).all
        examination.wrongKeys = [keys[0].ready]
        examination.note(QueueFinding(.keyOfWrongType, keys[0].ready, partition: 0))
        for partition in 0..<2 { examination.note(QueueFinding(.bundleNotKnown, "\(partition)", partition: partition)) }
        let damaged = examination.canRead(keys[0].ready, keys[0].delayed, lookingFor: .laneWithoutToken)
        let whole = examination.canRead(keys[1].ready, keys[1].delayed, lookingFor: .headWrong)
        #expect(!damaged && whole)
        let checks = DoctorReport.checks(of: examination)
        let states = Dictionary(checks.map { ($0.name, $0.state) }) { first, _ in first }
        #expect(states[DoctorReport.keys] == .problem && states[DoctorReport.tokens] == .note)
        #expect(states[DoctorReport.levels] == .ok)
        #expect(examination.mendable.map(\.subject) == ["1"])
    }
}
