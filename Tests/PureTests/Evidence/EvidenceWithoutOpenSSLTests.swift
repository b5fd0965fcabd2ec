import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

/// That openssl cannot verify a signature says nothing of the signature.
@Suite(.timeLimit(.minutes(1))) struct `Evidence by hand without openssl` {
    /// A folder for `PATH` that has python3, and programs of these texts.
    private static func folder(_ programs: [String: String] = [:]) async throws -> URL {
        let found = try await LeashedProcess.run("python3", ["-c", "import sys; print(sys.executable)"])
        try #require(found.exitCode == 0, "\(found.output)")
        let folder = try TemporaryDirectory.make("path")
        let python = "#!/bin/sh\nexec '\(found.output)' \"$@\"\n"
        for (name, text) in programs.merging(["python3": python], uniquingKeysWith: { one, _ in one }) {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        return folder
    }

    @Test(arguments: [nil, "#!/bin/sh\necho 'unknown option -rawin' >&2\nexit 1\n"])
    func `evidence by hand without openssl is not done, and no genuine capture looks forged`(openssl: String?)
        async throws
    {
        let folder = try await Self.folder(openssl.map { ["openssl": $0] } ?? [:])
        defer { try? FileManager.default.removeItem(at: folder) }
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let json = Array(try JSONEncoder().encode(fixture.evidence(of: signed)))
        let found = try await `Evidence by hand`.check(
            json, photo: signed.capture.photo, depth: signed.capture.depthMap, path: folder.path)
        #expect(found.failed == [] && found.exitCode == 1, "\(found.output)")
        #expect(found.output.contains("not checked: signature: openssl cannot verify it\n"), "\(found.output)")
    }
}
