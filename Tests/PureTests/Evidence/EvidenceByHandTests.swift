import CBOR
import CaptureModel
import DeviceSimulator
import Evidence
import Foundation
import TestSupport
import Testing

/// The program that shows how evidence is checked without any of our code, as Evidence.md describes it.
@Suite(.timeLimit(.minutes(1))) struct `Evidence by hand` {
    private static let program = "Config/deploy/examples/check_evidence.py"

    /// What fails where assertion or key are not what the program can read.
    static let assertionIsNone = "it cannot be read: the assertion is none, or the key is of no kind that is known"

    /// What the program says of evidence and media: its exit code, and the checks that fail.
    /// - Parameter path: Where it finds its interpreter and openssl; where this process finds them unless given.
    static func check(
        _ json: [UInt8], photo: [UInt8]?, depth: [UInt8]?, appID: String = EvidenceFixture.appID,
        path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (exitCode: Int32, failed: [String], output: String) {
        let directory = try TemporaryDirectory.make("by-hand")
        defer { try? FileManager.default.removeItem(at: directory) }
        var arguments = ["--app-id", appID]
        let files: [(String, [UInt8]?)] = [("evidence", json), ("photo", photo), ("depth", depth)]
        for (name, bytes) in files {
            guard let bytes else { continue }
            let file = directory.appending(path: name)
            try Data(bytes).write(to: file)
            arguments += ["--\(name)", file.path]
        }
        let run = try await LeashedProcess.run(
            Repository.directory.appending(path: program).path, arguments,
            environment: path.map { ["PATH": $0] } ?? [:])
        #expect(run.output.contains("not checked: whose key it is"), "\(run.output)", sourceLocation: sourceLocation)
        let failed = run.output.split(separator: "\n").filter { $0.hasPrefix("FAIL ") }.map { String($0.dropFirst(5)) }
        return (run.exitCode, failed, run.output)
    }

    @Test(arguments: Binding.allCases)
    func `evidence by hand is good for a genuine capture, bare and in a gateway's answer`(_ binding: Binding)
        async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(binding)
        let hash = CaptureSigner.clientDataHash(of: signed.capture, binding: binding)
        let json = Array(try JSONEncoder().encode(fixture.evidence(of: signed) { $0.clientDataHash = hash }))
        for text in [json, Array("{\"data\":".utf8) + json + Array(",\"meta\":{}}".utf8)] {
            let found = try await Self.check(text, photo: signed.capture.photo, depth: signed.capture.depthMap)
            #expect(found.exitCode == 0 && found.failed == [])
        }
    }

    @Test func `evidence by hand is good for the digests of framed-v2, and says what it did not look at`() async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let whole = fixture.evidence(of: signed)
        let evidence = CaptureEvidence(
            result: whole.result, assertion: whole.assertion, metadata: nil, key: whole.key)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        let cases: [(photo: [UInt8]?, depth: [UInt8]?, metadata: [UInt8]?, absent: String)] = [
            (nil, nil, whole.metadata, "photo, depth map"), (photo, nil, whole.metadata, "depth map"),
            (photo, depth, nil, "metadata"), (nil, nil, nil, "photo, depth map, metadata"),
        ]
        for given in cases {
            let shown = given.metadata == nil ? evidence : whole
            let json = Array(try JSONEncoder().encode(shown))
            let found = try await Self.check(json, photo: given.photo, depth: given.depth)
            #expect(found.exitCode == 0 && found.failed == [], "\(found.output)")
            #expect(found.output.contains("not checked: \(given.absent)\n"), "\(found.output)")
            let findings = try fixture.verifier().verify(shown, photo: given.photo, depth: given.depth)
            #expect(findings.verdict == .accepted)
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
        #expect(torn.exitCode == 1 && torn.failed == ["it cannot be read: a digest is none"])
    }

    /// As ``EvidenceVerifier`` has it: the key's signature is looked at, and nothing shows that it is of these bytes.
    @Test func `evidence by hand is not done with concat-v1 before both photo and depth map are given`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.concatV1)
        let hash = CaptureSigner.clientDataHash(of: signed.capture, binding: .concatV1)
        let early = fixture.evidence(of: signed)
        let evidence = fixture.evidence(of: signed) { $0.clientDataHash = hash }
        let forged = fixture.evidence(of: signed) { $0.clientDataHash = .hash([1]) }
        let photos: [[UInt8]?] = [nil, signed.capture.photo]
        for photo in photos {
            let found = try await Self.check(Array(try JSONEncoder().encode(evidence)), photo: photo, depth: nil)
            #expect(found.exitCode == 1 && found.failed == [])
            let absent = photo == nil ? "photo, depth map" : "depth map"
            #expect(found.output.contains("not checked: \(absent): concat-v1 signs"), "\(found.output)")
            #expect(found.output.contains("pass signature\n"), "\(found.output)")
            #expect(try fixture.verifier().verify(evidence, photo: photo).verdict == .incomplete)

            let unknown = try await Self.check(Array(try JSONEncoder().encode(early)), photo: photo, depth: nil)
            #expect(unknown.exitCode == 1 && unknown.failed == [])
            #expect(unknown.output.contains("not checked: the signature"), "\(unknown.output)")

            let other = try await Self.check(Array(try JSONEncoder().encode(forged)), photo: photo, depth: nil)
            #expect(other.exitCode == 1 && other.failed == ["signature"])
        }
    }

    @Test(arguments: Binding.allCases)
    func `evidence by hand finds another photo, in a record that was changed to fit as well`(_ binding: Binding)
        async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(binding)
        let other = signed.capture.photoTampered()
        for (shown, failed) in [(signed.capture, ["photo_sha256", "signature"]), (other, ["signature"])] {
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
        #expect(counter.exitCode == 1 && counter.failed == ["rpIdHash", "counter"])
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

    @Test func `evidence by hand takes no document with another one around it`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let genuine = String(decoding: try JSONEncoder().encode(fixture.evidence(of: signed)), as: UTF8.self)
        let lying = fixture.evidence(of: signed) { $0.verdict = .rejected }
        let outer = String(decoding: try JSONEncoder().encode(lying), as: UTF8.self)
        let both = Array("\(outer.dropLast()),\"data\":\(genuine)}".utf8)
        let found = try await Self.check(both, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(found.exitCode == 1 && found.failed == ["it cannot be read: two documents: one around the other"])
    }

    @Test func `evidence by hand takes no text without an end, and needs no hours for it`() async throws {
        let json = Array(#"{"a":""#.utf8) + Array(String(repeating: #"\""#, count: 100_000).utf8)
        let found = try await Self.check(json, photo: nil, depth: nil)
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
        let script = """
            mkfifo pipe; exec 3<>pipe 4>pipe 3<&-
            '\(Repository.directory.appending(path: Self.program).path)' --app-id x --evidence evidence \(output)
            """
        let run = try await LeashedProcess.run("bash", ["-c", script], directory: directory)
        #expect(run.exitCode == exitCode, "\(run.output)")
        #expect(!run.output.contains("Traceback") && !run.output.contains("FAIL"), "\(run.output)")
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

    /// As ``EvidenceVerifier`` has it: nothing is wrong, and not everything was looked at.
    @Test func `evidence by hand is not done where the record has no counter`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let evidence = fixture.evidence(of: signed, counter: nil)
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        let found = try await Self.check(Array(try JSONEncoder().encode(evidence)), photo: photo, depth: depth)
        #expect(found.exitCode == 1 && found.failed == [])
        #expect(found.output.contains("not checked: the counter: the record names none"), "\(found.output)")
        #expect(try fixture.verifier().verify(evidence, photo: photo, depth: depth).verdict == .incomplete)
    }

    @Test func `evidence by hand takes no counter that is none`() async throws {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let text = String(decoding: try JSONEncoder().encode(fixture.evidence(of: signed)), as: UTF8.self)
        let json = Array(text.replacing("\"counter\":1", with: "\"counter\":true").utf8)
        let found = try await Self.check(json, photo: signed.capture.photo, depth: signed.capture.depthMap)
        #expect(found.exitCode == 1 && found.failed == ["counter"])
    }

    /// As ``EvidenceVerifier`` has it: a device that was never registered, and one that told no key.
    @Test(arguments: [true, false])
    func `evidence by hand is not done where there is no key, and looks at the digests all the same`(isRegistered: Bool)
        async throws
    {
        let fixture = try EvidenceFixture()
        let signed = try fixture.signed(.framedV2)
        let whole = fixture.evidence(of: signed)
        let key =
            isRegistered
            ? CaptureEvidence.Key(
                fixture.registration(holding: .unverified(.p256, publicKey: nil, reason: nil))) : nil
        let evidence = CaptureEvidence(
            result: whole.result, assertion: whole.assertion, metadata: whole.metadata, key: key)
        let json = Array(try JSONEncoder().encode(evidence))
        let (photo, depth) = (signed.capture.photo, signed.capture.depthMap)
        let found = try await Self.check(json, photo: photo, depth: depth)
        #expect(found.exitCode == 1 && found.failed == [], "\(found.output)")
        #expect(found.output.contains("not checked: the key, and so neither counter nor signature"), "\(found.output)")
        #expect(found.output.contains("pass photo_sha256\n"), "\(found.output)")
        let findings = try fixture.verifier().verify(evidence, photo: photo, depth: depth)
        #expect(findings.verdict == .incomplete && findings.reasons[.key] == "KEY_MISSING")
        let other = try await Self.check(json, photo: signed.capture.photoTampered().photo, depth: depth)
        #expect(other.exitCode == 1 && other.failed == ["photo_sha256"], "\(other.output)")
    }
}
