import CaptureModel
import Enrolment
import Testing

@Suite struct `The id of a session` {
    private static let first = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let second = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
    private static let phone = "6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d"

    private static func sessions(
        _ keys: [String], _ code: String = "01234-56789-ABCDE-FGHJK-MNPQR", device: String = phone
    ) throws -> [EnrolmentID] {
        let seal = try #require(SecretSeal(keyFile: keys.joined(separator: "\n")))
        return try seal.sessions(of: #require(InvitationCode(code)), for: #require(DeviceID(device)))
    }

    /// Releases that differ in this would not find each other's sessions: computed with Python's `hmac`.
    @Test func `the id of a session is the same at every gateway and in every release`() throws {
        let id = try #require(EnrolmentID("b2d085bd-e566-4b30-94b9-72a4391830c7"))
        #expect(try Self.sessions([Self.first]) == [id])
        #expect(try Self.sessions([Self.first], "o123456789abcdefghjkmnpqr") == [id])
        #expect(id.digest.hex == "510510aa91c4e7fcb46968343361205072f97eab14f91c1b2273ee4d5c016da4")
    }

    @Test func `the id of a session is another one for another invitation, device or key, and an id as any other`()
        throws
    {
        let ids = try [
            Self.sessions([Self.first]), Self.sessions([Self.second]),
            Self.sessions([Self.first], "11234-56789-ABCDE-FGHJK-MNPQR"),
            Self.sessions([Self.first], device: "7f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d"),
        ].flatMap { $0 }
        #expect(Set(ids).count == 4 && Set(ids.map(\.digest)).count == 4)
        for text in ids.map(\.description) {
            #expect(text.dropFirst(14).first == "4" && "89ab".contains(text.dropFirst(19).first ?? "-"))
        }
    }

    @Test func `the id of a session comes of each key of the file, the first one's first`() throws {
        let (old, new) = try (Self.sessions([Self.first]), Self.sessions([Self.second]))
        #expect(try Self.sessions([Self.second, Self.first]) == new + old)
    }
}
