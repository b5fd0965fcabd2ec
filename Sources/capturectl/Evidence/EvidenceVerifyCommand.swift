import AppAttest
import ArgumentParser
import Evidence
import GatewayClient

/// `capturectl evidence`.
struct EvidenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Verifies settled captures' signatures again, without the system that settled them.",
        subcommands: [EvidenceVerifyCommand.self]
    )
}

/// `capturectl evidence verify`.
struct EvidenceVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies a capture's evidence from the beginning, offline, and prints what each step found as JSON.",
        usage: """
            capturectl evidence verify --app-id <app-id> ... --evidence <file>
                [--photo <file>] [--depth <file>] [<options>]
            """,
        discussion: """
            The evidence is what GET /api/v1/captures/{id}/evidence or `capturectl captures evidence` gives. Nothing in \
            it is believed but what Apple's root vouches for: attestation, key, digests, signature and counter. Photo \
            and depth map are the files as uploaded; captures signed with framed-v2 can be verified without them, for \
            their digests. So can any capture without its metadata, which may tell a place: set `metadata` of the \
            evidence to null before you hand it on.

            Nobody signed the rest, which is the record's word and may be anything that does not contradict itself: the \
            capture's and the device's id, when it was received and settled, when the key was registered, the receipt in \
            its attestation, and the record's verdict, reason, confidence, checks, counter_policy, processor_version and \
            compromised_since. Captures signed with concat-v1 have \
            unsigned metadata as well (the step `metadata` says NOT_SIGNED). Nothing says where their photo ends and \
            their depth map begins either, but that the photo has to be a JPEG: of these two the signature covers the \
            bytes together, and neither digest by itself. `unsigned` in the answer lists these members of the evidence, \
            and any other that is not known.

            Examples:
              capturectl captures evidence 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  > evidence.json
              capturectl evidence verify --app-id TEAM123456.com.example.app \\
                  --evidence evidence.json \\
                  --photo photo.jpg --depth depth.bin

            Exit codes: 0 accepted; 1 rejected, or something is missing (the verdict says which); 64 the question makes \
            no sense; 74 the answer could not be written. 0 does not mean that the record verified the \
            capture, nor that its key was in good hands: what the record says of that is `recorded`, `recorded_reason` \
            and `compromised_since`. Of the record's checks it repeats the assertion's, and none of photo, depth map, \
            metadata, times, risk and rollout.
            """
    )

    @Option(name: .customLong("app-id"), help: "An app that is believed; may be repeated.")
    var appIDs: [String] = []

    @Option(help: ArgumentHelp("The evidence.", valueName: "file"), completion: .file())
    var evidence: String

    @Option(help: ArgumentHelp("The photo as uploaded.", valueName: "file"), completion: .file())
    var photo: String?

    @Option(help: ArgumentHelp("The depth map as uploaded.", valueName: "file"), completion: .file())
    var depth: String?

    @Option(
        help: "production, development or any. (default: production)",
        completion: .list(VerificationFields.environmentWords))
    var environment: String?

    @Option(
        name: .customLong("root"),
        help: "PEM file of a root certificate that takes the place of Apple's; may be repeated.", completion: .file())
    var roots: [String] = []

    @OptionGroup var format: JSONFlag

    func validate() throws {
        guard !appIDs.isEmpty else { throw ValidationError(VerificationFault.missing("app_id").usage) }
    }

    func run() throws {
        let bytes = try FileArgument.file(self.evidence)
        let evidence: CaptureEvidence
        do throws(EvidenceError) {
            evidence = try CaptureEvidence(json: bytes)
        } catch {
            throw ValidationError("\(self.evidence): \(error)")
        }
        let findings = EvidenceVerifier(policy: try policy()).verify(
            evidence, photo: try photo.map(FileArgument.media), depth: try depth.map(FileArgument.media))
        try printAnswer(JSONText.write(EvidenceAnswer(evidence, findings)))
        guard findings.verdict == .accepted else { throw ExitCode(1) }
    }

    private func policy() throws -> AttestationPolicy {
        var fields = VerificationFields()
        fields.appIDs = appIDs
        fields.environment = environment
        try fields.readRoots(roots)
        do throws(VerificationFault) {
            return AttestationPolicy(
                appIDs: try fields.apps(), environments: try fields.environments() ?? [.production],
                roots: try fields.trustRoots(orApples: .appleAppAttestation))
        } catch {
            throw ValidationError(error.usage)
        }
    }
}
