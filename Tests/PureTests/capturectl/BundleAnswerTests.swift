import ArgumentParser
import CaptureModel
import Foundation
import PrivateServers
import Testing

@testable import capturectl

@Suite("What `simulate bundle` makes")
struct BundleAnswerTests {
    private func answer(gateway: String) throws -> BundleAnswer {
        let key = KeyID(publicKey: [4])
        let device = try #require(DeviceID("0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"))
        return BundleAnswer(
            device: device, key: key, binding: .framedV2, appID: "TEAM123456.com.example.app",
            directory: "/tmp/a bundle", gateway: gateway)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", "curl -sS http://127.0.0.1:8080/api/v1/captures -H"),
        ("http://127.0.0.1:8080/", "curl -sS http://127.0.0.1:8080/api/v1/captures -H"),
        (
            "http+unix://%2Frun%2Fa%20b.sock",
            "curl -sS --unix-socket '/run/a b.sock' http://localhost/api/v1/captures -H"
        ),
    ])
    func `curl is told where the gateway is in its own way`(gateway: String, words: String) throws {
        let answer = try answer(gateway: gateway)
        #expect(answer.commands.upload.line.hasPrefix(words), "\(answer.commands.upload.line)")
    }

    @Test(arguments: [
        ("bundle", "bundle"), ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"),
        ("/tmp/a-b_c.1", "/tmp/a-b_c.1"),
    ])
    func `words are quoted as a shell wants them`(word: String, quoted: String) {
        #expect(ShellCommand.quoted(word) == quoted)
    }

    @Test func `what simulate bundle makes is told in JSON with a command a line, and to people with lines that fit`()
        throws
    {
        let answer = try answer(gateway: "http://127.0.0.1:8080")
        let object = try JSONSerialization.jsonObject(with: Data(JSONText.write(answer).utf8)) as? [String: Any]
        #expect(object?["binding"] as? String == "framed-v2" && (object?["key_id"] as? String)?.count == 64)
        let commands = try #require(object?["commands"] as? [String: String])
        #expect(Set(commands.keys) == ["upload", "submit", "evidence", "verify"])
        #expect(commands.values.allSatisfy { !$0.contains("\n") })
        let text = answer.text(on: Terminal(columns: nil, isTinted: false))
        #expect(text.contains("\ncd '/tmp/a bundle'\n"), "\(text)")
        for line in text.split(separator: "\n") where !line.hasPrefix("files") { #expect(line.count < 80, "\(line)") }
    }

    @Test func `what simulate bundle makes lies in a directory of its owner's, and takes none that is there`() throws {
        let directory = try TemporaryDirectory.make("bundle")
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(throws: ValidationError.self) { try BundleOutput(directory.path) }
        let path = directory.appendingPathComponent("new").path
        let (folder, late) = (try BundleOutput(path), try BundleOutput(path))
        try folder.write([.photo: [1, 2, 3]])
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(Set(names) == Set(BundleOutput.Part.allCases.map(\.rawValue)))
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path) == 0o700)
        for name in names { #expect(try mode("\(path)/\(name)") == 0o600, "\(name)") }
        #expect(throws: ValidationError.self) { try late.write([.photo: [4]]) }
        #expect(FileManager.default.contents(atPath: "\(path)/photo.jpg") == Data([1, 2, 3]))
    }
}
