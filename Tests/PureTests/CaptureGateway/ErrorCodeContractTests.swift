import HTTPTypes
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("The error codes are a contract")
struct ErrorCodeContractTests {
    /// Each row of the README's table as its status and its code.
    private static func rows() throws -> [String] {
        let lines = try Repository.text("README.md").split(separator: "\n")
        let heading = try #require(lines.firstIndex(of: "### Error codes"))
        return lines[(heading + 1)...].prefix { !$0.hasPrefix("#") }.compactMap { line in
            line.firstMatch(of: /^\| (\d{3}) \| `([A-Z_]+)` \|/).map { "\($0.output.1) \($0.output.2)" }
        }
    }

    @Test func `the table in the README has every code with its status, each once`() throws {
        let codes = APIError.Code.allCases.map { "\($0.status.code) \($0.rawValue)" }
        #expect(try Self.rows().sorted() == codes.sorted())
    }
}
