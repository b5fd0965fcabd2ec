import HTTPTypes
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("The error codes are a contract")
struct ErrorCodeContractTests {
    /// What the README says that an app does after an answer; above the table it says what each is.
    private static let actions: Set = [
        "later", "sign anew", "new challenge", "register", "new invitation", "next step", "stop",
    ]

    /// Each row of the README's table: its status and its code, and what an app does.
    private static func rows() throws -> [(code: String, action: String)] {
        let lines = try Repository.text("README.md").split(separator: "\n")
        let heading = try #require(lines.firstIndex(of: "### Error codes"))
        return lines[(heading + 1)...].prefix { !$0.hasPrefix("#") }.compactMap { line in
            line.firstMatch(of: /^\| (\d{3}) \| `([A-Z_]+)` \| ([a-z ]*) \|/).map {
                (code: "\($0.output.1) \($0.output.2)", action: String($0.output.3))
            }
        }
    }

    @Test func `the table in the README has every code with its status, each once`() throws {
        let codes = APIError.Code.allCases.map { "\($0.status.code) \($0.rawValue)" }
        #expect(try Self.rows().map(\.code).sorted() == codes.sorted())
    }

    @Test func `each row says what an app does, in words that are explained`() throws {
        let rows = try Self.rows()
        for row in rows { #expect(Self.actions.contains(row.action), "\(row.code)") }
        #expect(Set(rows.map(\.action)) == Self.actions)
        let text = try Repository.text("README.md")
        for action in Self.actions { #expect(text.contains("**\(action)**"), "\(action)") }
    }

    /// A phone gives a capture up after anything but these.
    @Test func `what passes by itself is tried later`() throws {
        let passing: [APIError.Code] = [
            .requestTimeout, .notSettled, .rateLimited, .internalError, .queueFull, .unavailable,
        ]
        let later = try Self.rows().filter { $0.action == "later" }.map(\.code)
        #expect(later.sorted() == passing.map { "\($0.status.code) \($0.rawValue)" }.sorted())
    }
}
