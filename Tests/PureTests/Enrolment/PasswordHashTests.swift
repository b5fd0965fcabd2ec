import CaptureModel
import DeviceSimulator
import Enrolment
import Testing

@Suite struct `A password hash` {
    private static let salt = "c2FsdHNhbHRzYWx0c2FsdA"
    private static let hash = "aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g"
    private static let good = "$argon2id$v=19$m=65536,t=3,p=4$\(salt)$\(hash)"

    @Test(arguments: [
        good, "$argon2id$v=19$m=7168,t=5,p=1$\(salt)$\(salt)", "$argon2id$v=19$m=4194304,t=64,p=64$\(salt)$\(hash)",
        "$argon2id$v=19$m=47104,t=1,p=1$\(salt)$\(hash)", "$argon2id$v=19$m=19456,t=2,p=1$\(salt)$\(hash)",
        "$argon2id$v=19$m=12288,t=3,p=1$\(salt)$\(hash)", "$argon2id$v=19$m=9216,t=4,p=1$\(salt)$\(hash)",
    ])
    func `a password hash is kept as it was read`(_ text: String) throws {
        #expect(try PasswordHash(Array(text.utf8)).text == text)
    }

    private static let malformed: [String] = [
        "",
        "password",
        "$argon2id",
        "argon2id$v=19$m=65536,t=3,p=4$\(salt)$\(hash)",
        good + "$",
        " " + good,
        good + "\n",
        good + "é",
        good + "\u{0}",
        good + String(repeating: "A", count: 256),
        "$argon2id$m=65536,t=3,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$t=3,m=65536,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$m=65536,t=3$\(salt)$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=4,keyid=x$\(salt)$\(hash)",
        "$argon2id$v=19$m=065536,t=3,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$m=+65536,t=3,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$m=,t=3,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$m=99999999999999999999,t=3,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=4$\(salt)==$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0c2FsdB$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=4$c2Fsd-NhbHRzYWx0c2FsdA$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=4$\(salt)AAA$\(hash)",
    ]
    private static let otherFunctions: [String] = [
        "$",
        "$argon2i$v=19$m=65536,t=3,p=4$\(salt)$\(hash)",
        "$2b$12$abcdefghijklmnopqrstuu",
        "$ARGON2ID$v=19$m=65536,t=3,p=4$\(salt)$\(hash)",
        "$argon2id$v=16$m=65536,t=3,p=4$\(salt)$\(hash)",
    ]
    private static let outOfRange: [String] = [
        "$argon2id$v=19$m=7167,t=3,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$m=4194305,t=3,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$m=65536,t=0,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$m=65536,t=65,p=4$\(salt)$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=0$\(salt)$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=65$\(salt)$\(hash)",
        "$argon2id$v=19$m=7168,t=1,p=1$\(salt)$\(hash)",
        "$argon2id$v=19$m=47103,t=1,p=64$\(salt)$\(hash)",
        "$argon2id$v=19$m=19455,t=2,p=64$\(salt)$\(hash)",
        "$argon2id$v=19$m=12287,t=3,p=64$\(salt)$\(hash)",
        "$argon2id$v=19$m=9215,t=4,p=64$\(salt)$\(hash)",
        "$argon2id$v=19$m=7168,t=4,p=64$\(salt)$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=4$$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$\(hash)",
        // 65 bytes, 15 and 72.
        "$argon2id$v=19$m=65536,t=3,p=4$" + String(repeating: "A", count: 87) + "$\(hash)",
        "$argon2id$v=19$m=65536,t=3,p=4$\(salt)$" + String(repeating: "A", count: 20),
        "$argon2id$v=19$m=65536,t=3,p=4$\(salt)$" + String(repeating: "A", count: 96),
    ]

    private static let refused: [(String, PasswordHash.Fault)] =
        malformed.map { ($0, .malformed) } + otherFunctions.map { ($0, .algorithm) }
        + outOfRange.map { ($0, .parameters) }

    @Test(arguments: refused)
    func `a password hash of any other form is refused with its reason`(_ text: String, _ fault: PasswordHash.Fault) {
        #expect(throws: fault, "\(text)") { try PasswordHash(Array(text.utf8)) }
    }

    @Test func `a password hash with a byte changed is refused or kept as it was read`() {
        let bytes = Array(Self.good.utf8)
        var kept = 0
        for index in bytes.indices {
            for change: UInt8 in [0x01, 0x20, 0x80] {
                var other = bytes
                other[index] ^= change
                if let hash = try? PasswordHash(other) {
                    #expect(Array(hash.text.utf8) == other)
                    kept += 1
                }
            }
        }
        #expect(kept > 0)
    }
}

@Suite struct `An invitation's code` {
    @Test func `an invitation's code is read as people enter it`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let code = InvitationCode.make(using: &generator)
            let text = code.description
            #expect(text.utf8.count == 29 && InvitationCode(text) == code)
            #expect(InvitationCode(text.lowercased()) == code)
            let plain = text.split(separator: "-").joined()
            #expect(InvitationCode(plain) == code)
            let misread = String(plain.map { $0 == "1" ? "l" : $0 == "0" ? "o" : $0 })
            #expect(InvitationCode(misread)?.digest == code.digest)
            for pasted in [" \(text)\n", "\t\(plain)\r\n", text.split(separator: "-").joined(separator: " - ")] {
                #expect(InvitationCode(pasted) == code)
            }
        }
    }

    @Test(arguments: [
        "", "-", "ABCDE", String(repeating: "A", count: 24), String(repeating: "A", count: 26),
        String(repeating: "U", count: 25), String(repeating: "é", count: 25), String(repeating: "-", count: 29),
        String(repeating: "A", count: 25) + String(repeating: "-", count: 26), String(repeating: "A", count: 10_000),
        // Letters of other alphabets that become A to Z, or end a line, where Unicode decides.
        "ſ" + String(repeating: "A", count: 24), "ı" + String(repeating: "A", count: 24),
        String(repeating: "A", count: 25) + "\u{A0}", String(repeating: "A", count: 25) + "\u{2028}",
        String(repeating: "A", count: 25) + "\u{0}",
    ])
    func `nothing else is an invitation's code`(_ text: String) {
        #expect(InvitationCode(text) == nil)
    }
}

@Suite struct `The states of an enrolment` {
    @Test func `the states of an enrolment have one next step each, in the order of the steps`() {
        #expect(EnrolmentState.allCases.map(\.nextStep) == [.attestation, .password, .finalize, .finalize])
        #expect(
            EnrolmentState.allCases.map(\.nextStep.nameAsNext) == [
                "attestation_required", "password_required", "finalize", "finalize",
            ])
    }
}
