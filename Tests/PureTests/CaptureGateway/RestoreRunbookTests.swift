import TestSupport
import Testing

@Suite("The runbook's restore")
struct RestoreRunbookTests {
    /// Of a capture whose first answer was lost the log has only the line of its retry.
    @Test func `finds in the logs each capture that a 202 has named, whichever line says so`() throws {
        let command = /grep -hE '([^']+)' gateway\*\.log \| grep/
        let search = try #require(try Repository.text("Config/deploy/RUNBOOKS.md").firstMatch(of: command)).output.1
        let pattern = try Regex(String(search))
        let route = try Repository.text("Sources/CaptureGateway/Captures/Upload/UploadRoute.swift")
        let lines = route.matches(of: /"(capture (?:was )?accepted[^"]*)"/).map { String($0.output.1) }
        #expect(lines.count == 2)
        for line in lines { #expect(line.contains(pattern), "\(line)") }
    }
}
