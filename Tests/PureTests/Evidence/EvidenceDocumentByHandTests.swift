import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

@Suite("The document of evidence by hand, and what is written of it", .timeLimit(.minutes(1)))
struct EvidenceDocumentByHandTests {
    @Test func `evidence by hand takes no document with another one around it`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let genuine = String(decoding: try JSONEncoder().encode(fixture.evidence(of: signed)), as: UTF8.self)
        let lying = fixture.evidence(of: signed) { $0.verdict = .rejected }
        let outer = String(decoding: try JSONEncoder().encode(lying), as: UTF8.self)
        let both = Array("\(outer.dropLast()),\"data\":\(genuine)}".utf8)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        let found = try await `Evidence by hand`.check(both, photo: photo, depth: depth)
        #expect(found.exitCode == 1 && found.failed == ["it cannot be read: two documents: one around the other"])
    }

    @Test func `evidence by hand takes no text without an end, and needs no hours for it`() async throws {
        let json = Array(#"{"a":""#.utf8) + Array(String(repeating: #"\""#, count: 100_000).utf8)
        let found = try await `Evidence by hand`.check(json, photo: nil, depth: nil)
        #expect(found.exitCode == 1 && found.failed.count == 1, "\(found.output)")
        #expect(found.failed.first?.hasPrefix("it cannot be read: ") == true, "\(found.output)")
    }

    /// A full disk, and a reader that has gone: the shell opens a pipe that nobody reads.
    @Test(arguments: [(">/dev/full", Int32(74)), ("2>&1 >&4", 141)])
    func `evidence by hand takes no fault of its own output for one of the evidence`(
        output: String, exitCode: Int32
    ) async throws {
        let directory = try TemporaryDirectory.make("by-hand")
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("{}".utf8).write(to: directory.appending(path: "evidence"))
        let program = Repository.directory.appending(path: `Evidence by hand`.program).path
        let script = """
            mkfifo pipe; exec 3<>pipe 4>pipe 3<&-
            '\(program)' --app-id x --evidence evidence \(output)
            """
        let run = try await LeashedProcess.run("bash", ["-c", script], directory: directory)
        #expect(run.exitCode == exitCode, "\(run.output)")
        #expect(!run.output.contains("Traceback") && !run.output.contains("FAIL"), "\(run.output)")
    }
}
