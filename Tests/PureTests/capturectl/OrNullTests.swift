import Foundation
import Testing

@testable import capturectl

@Suite("What is not known, in JSON")
struct OrNullTests {
    private func object(_ value: some Encodable) throws -> [String: Any] {
        let text = try JSONText.write(value)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    @Test func `what is not known is null in JSON, and not left out`() throws {
        let well = try object(DoctorCheck.ok("clocks", "+0 ms"))
        #expect(well["meaning"] is NSNull && well["repair"] is NSNull)
        let note = try object(DoctorCheck.note("workers", "none", "nothing waits for one"))
        #expect(note["meaning"] as? String == "nothing waits for one" && note["repair"] is NSNull)
        let device = try object(SimulatedDeviceRecord(number: 1, expected: false))
        for member in ["device", "level", "reason"] { #expect(device[member] is NSNull, "\(member)") }
    }
}
