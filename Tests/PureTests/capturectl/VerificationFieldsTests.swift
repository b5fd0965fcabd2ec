import AppAttest
import GatewayClient
import TestSupport
import Testing

@testable import capturectl

@Suite("What a question consists of", .timeLimit(.minutes(1)))
struct VerificationFieldsTests {
    /// These would take minutes if the text were compared as a Swift `String`.
    @Test func `a word of ours is looked for at the cost of its bytes`() throws {
        var fields = VerificationFields()
        fields.environment = CostlyText.bytes(600_000)
        fields.receiptType = CostlyText.bytes(600_000)
        #expect(throws: VerificationFault.self) { try fields.environments() }
        #expect(throws: VerificationFault.self) { try fields.namedReceiptType() }
    }

    @Test func `any is every environment, and no type in particular`() throws {
        var fields = VerificationFields()
        fields.environment = "any"
        fields.receiptType = "any"
        #expect(try fields.environments()?.count == 2)
        #expect(try fields.namedReceiptType() == nil)
        fields.environment = "production"
        fields.receiptType = "RECEIPT"
        #expect(try fields.environments() == [.production])
        #expect(try fields.namedReceiptType() == .renewal)
    }

    @Test(arguments: ["previousCounter", "clientDataHash", "Fresh", "", "id "])
    func `a member of a line that no command knows is refused`(name: String) throws {
        let fault = #expect(throws: VerificationFault.self) {
            try VerificationFields().overridden(by: ["id": .null, name: .whole(1)])
        }
        #expect(fault?.code == .fieldInvalid && fault?.detail == "\(name): there is no such member")
        // Those of other commands are not: one list of questions may be put to several.
        let others: [String: JSONValue] = ["id": .null, "fresh": .bool(true), "previous_counter": .whole(1)]
        #expect(try VerificationFields().overridden(by: others).previousCounter == 1)
    }
}
