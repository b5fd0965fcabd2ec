import AppAttest
import CBOR
import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

/// The program that shows how evidence is checked without any of our code, as Evidence.md describes it.
@Suite(.timeLimit(.minutes(1))) struct `Evidence by hand` {
    static let program = "Config/deploy/examples/check_evidence.py"

    /// What fails where assertion or key are not what the program can read.
    static let assertionIsNone = "it cannot be read: the assertion is none, or the key is of no kind that is known"

    /// What the program says of evidence and media: its exit code, and the checks that fail.
    /// - Parameters:
    ///   - roots: What takes the place of Apple's root, as PEM: the root of the fixtures unless given.
    ///   - options: What it is told else.
    ///   - path: Where it finds its interpreter and openssl; where this process finds them unless given.
    static func check(
        _ json: [UInt8], photo: [UInt8]?, depth: [UInt8]?, appID: String = EvidenceFixture.appID,
        roots: [String]? = nil, options: [String] = [], path: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (exitCode: Int32, failed: [String], output: String) {
        let directory = try TemporaryDirectory.make("by-hand")
        defer { try? FileManager.default.removeItem(at: directory) }
        var arguments = ["--app-id", appID] + options
        var files: [(String, [UInt8]?)] = [("evidence", json), ("photo", photo), ("depth", depth)]
        for pem in try roots ?? [EvidenceFixture.rootPEM()] { files.append(("root", Array(pem.utf8))) }
        for (index, (name, bytes)) in files.enumerated() {
            guard let bytes else { continue }
            let file = directory.appending(path: "\(name)-\(index)")
            try Data(bytes).write(to: file)
            arguments += ["--\(name)", file.path]
        }
        let run = try await LeashedProcess.run(
            Repository.directory.appending(path: program).path, arguments,
            environment: path.map { ["PATH": $0] } ?? [:])
        #expect(run.output.contains("not checked: what nobody signed"), "\(run.output)", sourceLocation: sourceLocation)
        let failed = run.output.split(separator: "\n").filter { $0.hasPrefix("FAIL ") }.map { String($0.dropFirst(5)) }
        return (run.exitCode, failed, run.output)
    }

    @Test func `evidence by hand has the digest of Apple's root in Evidence.md`() throws {
        let text = try Repository.text("Sources/Evidence/Evidence.docc/Evidence.md")
        #expect(text.contains("\n    \(TrustRoot.appleAppAttestation.sha256)\n"))
    }

    @Test(arguments: Binding.allCases)
    func `evidence by hand is good for a genuine capture, bare and in a gateway's answer`(_ binding: Binding)
        async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(binding)
        let json = Array(try JSONEncoder().encode(fixture.evidence(of: signed)))
        for text in [json, Array("{\"data\":".utf8) + json + Array(",\"meta\":{}}".utf8)] {
            let found = try await Self.check(text, photo: signed.capture.photo, depth: signed.capture.depthMap)
            #expect(found.exitCode == 0 && found.failed == [])
        }
    }

    @Test func `evidence by hand finds digests that framed-v2 did not sign, and texts that are none`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let other = fixture.evidence(of: signed, showing: signed.capture.photoTampered())
        let found = try await Self.check(Array(try JSONEncoder().encode(other)), photo: nil, depth: nil)
        #expect(found.exitCode == 1 && found.failed == ["signature"])
        // The text that is signed, with its lines in other places.
        let evidence = fixture.evidence(of: signed)
        let (photo, depth) = (evidence.result.photoDigest.hex, evidence.result.depthDigest.hex)
        let text = String(decoding: try JSONEncoder().encode(evidence), as: UTF8.self)
        let moved = text.replacing("\"\(photo)\"", with: "\"\(photo)\\n\(depth)\"")
        let torn = try await Self.check(Array(moved.utf8), photo: nil, depth: nil)
        #expect(torn.exitCode == 1)
        #expect(torn.failed == ["it cannot be read: result.photo_sha256 has a value out of range"])
    }

    @Test(arguments: Binding.allCases)
    func `evidence by hand finds another photo, in a record that was changed to fit as well`(_ binding: Binding)
        async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(binding)
        let other = signed.capture.photoTampered()
        let bad = ["photo_sha256", "client_data_sha256", "signature"]
        for (shown, failed) in [(signed.capture, bad), (other, ["signature"])] {
            let json = Array(try JSONEncoder().encode(fixture.evidence(of: signed, showing: shown)))
            let found = try await Self.check(json, photo: other.photo, depth: other.depthMap)
            #expect(found.exitCode == 1 && found.failed == failed)
        }
    }

    @Test func `evidence by hand finds another counter, another app and metadata that were rewritten`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        let json = Array(try JSONEncoder().encode(fixture.evidence(of: signed, counter: 7)))
        let counter = try await Self.check(json, photo: photo, depth: depth, appID: "ABCDE12345.com.example.other")
        #expect(counter.exitCode == 1 && counter.failed == ["attestation: app", "rpIdHash", "counter"])
        let rewritten = fixture.evidence(of: signed, showing: signed.capture.metadataRewritten())
        let found = try await Self.check(Array(try JSONEncoder().encode(rewritten)), photo: photo, depth: depth)
        #expect(found.exitCode == 1 && found.failed == ["signature"])
    }

    @Test func `evidence by hand finds that what framed-v2 signs, cut in two, is no capture of concat-v1`() async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let digests = [signed.capture.photo, signed.capture.depthMap, signed.capture.metadata].map {
            SHA256Digest.hash($0).hex
        }
        let text = Array("capture-v2\n\(digests.joined(separator: "\n"))".utf8)
        let forged = SignedCapture(
            capture: SyntheticCapture(
                photo: Array(text.prefix(20)), depthMap: Array(text.dropFirst(20)), metadata: Array("{}".utf8)),
            assertion: signed.assertion, binding: .concatV1)
        let json = Array(try JSONEncoder().encode(fixture.evidence(of: forged)))
        let found = try await Self.check(json, photo: forged.capture.photo, depth: forged.capture.depthMap)
        #expect(found.exitCode == 1 && found.failed == ["photo is a JPEG"])
    }

    @Test func `evidence by hand takes no assertion that has a member twice`() async throws {
        let fixture = try EvidenceFixture()
        let genuine = try fixture.signed(.framedV2)
        let entries = try #require(try CBORValue.decode(genuine.assertion).map)
        let signed = SignedCapture(
            capture: genuine.capture, assertion: CBORValue.map(entries + entries.prefix(1)).encode(),
            binding: .framedV2)
        let json = Array(try JSONEncoder().encode(fixture.evidence(of: signed)))
        let found = try await Self.check(json, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(found.exitCode == 1)
        #expect(found.failed == ["it cannot be read: a member of the assertion is there twice"])
    }

    @Test func `evidence by hand takes no counter that is none`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let text = String(decoding: try JSONEncoder().encode(fixture.evidence(of: signed)), as: UTF8.self)
        let json = Array(text.replacing("\"counter\":1", with: "\"counter\":true").utf8)
        let found = try await Self.check(json, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(found.exitCode == 1 && found.failed == ["it cannot be read: result.counter has a value out of range"])
    }
}
