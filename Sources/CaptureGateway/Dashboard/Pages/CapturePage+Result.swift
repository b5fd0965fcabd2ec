import AppAttest
import CaptureModel
import HTML

/// What the result says of the signer and of the bytes.
extension CapturePage {
    var signer: Markup {
        var rows: [(String, Markup)] = [("Device", Wording.device(status.device, status.reason))]
        guard let result else { return facts(rows) }
        rows += [
            ("Attestation", Markup(result.attestationLevel.rawValue)),
            ("Environment", result.environment.map { Markup($0.rawValue) } ?? Wording.none()),
            ("App", result.appID.map { Markup($0) } ?? Wording.none()),
            ("Trust root", result.trustRoot.map { Markup($0) } ?? Wording.none()),
            ("Key", result.keyID.map { key in Markup.code { key.description } } ?? Wording.none()),
            ("Algorithm", algorithm.map { Self.name($0) } ?? Wording.none()),
            ("Counter", result.counter.map { Markup(Wording.number(Int($0))) } ?? Wording.none()),
            ("Counter policy", Markup(result.counterPolicy.description)),
            ("Binding", Markup(result.binding.rawValue)),
            ("Rollout", result.rollout.map { Self.rollout($0) } ?? Wording.none()),
            ("Checked by", Markup("version \(result.processorVersion)")),
        ]
        return facts(rows)
    }

    private static func name(_ algorithm: Device.KeyAlgorithm) -> Markup {
        switch algorithm {
        case .p256: Markup("ECDSA with P-256")
        case .ed25519: Markup("Ed25519")
        }
    }

    private static func rollout(_ ruling: RolloutRuling) -> Markup {
        let policy = ruling.policy.hex.prefix(8)
        return Markup.span("title" => "policy \(ruling.policy.hex)") {
            "\(ruling.mode.rawValue), \(ruling.isWithin ? "within" : "outside of") the percentage, policy \(policy)"
        }
    }

    /// The name of the file that a capture's evidence is saved as.
    static func evidenceFile(of capture: CaptureID) -> String { "evidence-\(capture).json" }

    /// What stands for an app's id where the record has none.
    private static let appIDExample = "TEAMID.bundle.id"

    /// What stands for the file of a trust root.
    private static let rootExample = "root.pem"

    /// The evidence as a file, and the line that verifies it.
    @MarkupBuilder
    static func evidence(of result: ProvenanceResult) -> Markup {
        Markup.p {
            Markup.a("href" => Page.evidence.address(result.id)) { "Download the evidence" }
            ": others check the signature with it"
            if result.binding == .concatV1 { ", the photo and the depth map" }
            ". It holds the metadata, which may tell where the photo was taken."
            if result.attestationLevel == .unverified {
                " Nobody vouches for the device's key: a verification ends as incomplete at best, with "
                Markup.code { "NOT_ATTESTED" }
                "."
            }
        }
        Markup.p("class" => "hint") {
            Markup.code { verification(of: result) }
            if result.appID == nil { " \(appIDExample) stands for the id of your app." }
            if hasOtherRoot(result) {
                " \(rootExample) stands for the file of the trust root that Signer names, which is not Apple's."
            }
        }
    }

    /// The line that verifies it; one that names no root and no environment believes Apple's and `production` alone.
    private static func verification(of result: ProvenanceResult) -> String {
        var words = ["capturectl evidence verify --app-id \(result.appID ?? appIDExample)"]
        if hasOtherRoot(result) { words.append("--root \(rootExample)") }
        if result.environment == .development {
            words.append("--environment \(KeyEnvironment.development.rawValue)")
        }
        words.append("--evidence \(evidenceFile(of: result.id)) --photo photo.jpg --depth depth.bin")
        return words.joined(separator: " ")
    }

    /// Whether the key was certified under another root than Apple's, whatever that root calls itself.
    private static func hasOtherRoot(_ result: ProvenanceResult) -> Bool {
        guard let trustRoot = result.trustRoot else { return false }
        return Device.trustRootDigest(in: trustRoot) != TrustRoot.appleAppAttestation.sha256
    }

    static func digests(_ result: ProvenanceResult) -> Markup {
        facts([
            ("Photo", Markup.code { result.photoDigest.hex }), ("Depth map", Markup.code { result.depthDigest.hex }),
            ("Metadata", Markup.code { result.metadataDigest.hex }),
            ("What had to be signed", Markup.code { result.clientDataHash.hex }),
        ])
    }
}
