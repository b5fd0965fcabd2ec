import CaptureModel
import Testing

@testable import capturectl

@Suite("What a line of many may say", .timeLimit(.minutes(1)))
struct LineMembersTests {
    private static let commands: [(members: LineMembers, other: VerificationFields.Name, refusal: String)] = [
        (.attestation, .clientData, "client_data: this command takes challenge or client_data_hash"),
        (.assertion, .challenge, "challenge: this command takes client_data or client_data_hash"),
        (.receipt, .clientData, "client_data: this command has no such member"),
    ]

    /// Reads a line of a command whose command line gave a clientDataHash.
    private func read(_ line: [String: JSONValue], of members: LineMembers) throws -> VerificationFields {
        var defaults = VerificationFields()
        defaults.bytes[.clientDataHash] = .base64("AAAA")
        return try defaults.overridden(by: line, of: members)
    }

    private func refusal(
        _ line: [String: JSONValue], of members: LineMembers, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String? {
        let fault = #expect(throws: VerificationFault.self, sourceLocation: sourceLocation) {
            try read(line, of: members)
        }
        #expect(fault?.code == .fieldInvalid, sourceLocation: sourceLocation)
        return fault?.detail
    }

    @Test(arguments: ["previousCounter", "clientDataHash", "Fresh", "", "id "])
    func `a member that no command knows is refused, whatever it is`(name: String) throws {
        for (members, _, _) in Self.commands {
            for value: JSONValue in [.whole(1), .null] {
                let detail = try refusal(["id": .null, name: value], of: members)
                #expect(detail == "\(name): there is no such member")
            }
        }
    }

    @Test(arguments: ["client_data", "key_id", "attestation", "assertion", "previous_counter", "verify_receipt"])
    func `a receipt's line has no member of another command`(name: String) throws {
        let detail = try refusal([name: .string("AAAA")], of: .receipt)
        #expect(detail == "\(name): this command has no such member")
        #expect(try read([name: .null], of: .receipt).optional(.clientDataHash) == [0, 0, 0], "a null asks nothing")
    }

    @Test func `what only receipts have is refused elsewhere`() throws {
        for members in [LineMembers.attestation, .assertion] {
            for name in ["receipt", "type", "token", "fresh"] {
                let detail = try refusal([name: .string("x")], of: members)
                #expect(detail == "\(name): this command has no such member")
            }
        }
        let detail = try refusal(["require_receipt": .bool(true)], of: .assertion)
        #expect(detail == "require_receipt: this command has no such member")
    }

    /// It would have taken the flag's clientDataHash away, and nothing would have stood in for it.
    @Test func `what stands for the hash of another command's questions does not replace this one's`() throws {
        for (members, other, expected) in Self.commands {
            let detail = try refusal([other.rawValue: .string("AAEC")], of: members)
            #expect(detail == expected)
        }
        let shared: [String: JSONValue] = ["challenge": .string("AAEC"), "client_data": .string("AgEA")]
        for members in [LineMembers.attestation, .assertion] {
            let fields = try read(shared, of: members)
            #expect(try fields.optional(.clientDataHash) == nil, "the line's own replaces it")
            #expect(try fields.optional(.challenge) == (members.hashed == .challenge ? [0, 1, 2] : nil))
            #expect(try fields.optional(.clientData) == (members.hashed == .clientData ? [2, 1, 0] : nil))
        }
    }

    @Test func `attestations and assertions may share lines, which are readable throughout`() throws {
        let line: [String: JSONValue] = [
            "id": .whole(1), "app_id": .string("TEAM123456.org.example"), "key_id": .string("AAAA"),
            "attestation": .string("AAAA"), "client_data_hash": .string("AQID"), "environment": .string("any"),
            "at": .string("2026-04-21T00:00:00Z"), "public_key": .string("AAAA"), "assertion": .string("AAAA"),
            "previous_counter": .whole(1), "root": .null,
        ]
        for members in [LineMembers.attestation, .assertion] {
            #expect(try read(line, of: members).optional(.clientDataHash) == [1, 2, 3])
        }
        #expect(try read(line, of: .assertion).environment == nil)
        #expect(try read(line, of: .assertion).previousCounter == 1)
        #expect(try read(line, of: .attestation).previousCounter == nil)
        let unreadable = [
            ("key_id", "!!!", "is not base64"), ("at", "yesterday", "takes a time"),
            ("environment", "prod", "takes production"), ("root", "no PEM", "takes exactly one"),
        ]
        for (name, value, words) in unreadable {
            let detail = try refusal(line.merging([name: .string(value)]) { $1 }, of: .assertion)
            #expect(detail?.hasPrefix("\(name) \(words)") == true, "\(detail ?? "")")
        }
    }
}
