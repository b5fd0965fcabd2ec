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
        let functions = try Repository.text("Sources/RedisCaptureQueue/Functions/examine_capture.lua")
        #expect(fault.canBeMended == functions.contains("\n  \(fault.rawValue) = function("), "\(fault)")
    }
}
