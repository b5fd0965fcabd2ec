import AppAttest
import ArgumentParser
import AsyncHTTPClient
import CaptureModel
import DeviceSimulator
import GatewayClient
import struct SystemPackage.Errno

/// `capturectl simulate bundle`.
struct SimulateBundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Registers a simulated device and writes a capture that it signed to files.",
        usage: """
            capturectl simulate bundle --gateway <gateway> --app-id <app-id>
                --ca <ca> --out <out> [<options>]
            """,
        discussion: """
            The files are what an app would send: photo.jpg, depth.bin, assertion.cbor and metadata.json, in a new \
            directory that only you can read; root.pem beside them is the test authority's root, which stands in for \
            Apple's. Nothing is uploaded. The answer has the device's id, and the commands that lead on: upload, \
            evidence, verification. The device's key is forgotten: it signs this capture and no other.

            Examples:
              capturectl simulate bundle --gateway "$GATEWAY" \\
                  --app-id "$CAPTURE_APP_IDS" --ca .local/up/ca --out bundle
              capturectl simulate bundle --gateway "$GATEWAY" \\
                  --app-id "$CAPTURE_APP_IDS" --ca .local/up/ca --out bundle \\
                  --binding concat-v1 --json

            Exit codes: 0 the files are there; 1 the gateway refuses the device, or does not believe its attestation; 64 \
            bad usage, a directory that is there already, no test certificate authority where --ca says, another \
            address is the gateway's, or its certificate is not trusted; 69 the gateway cannot be reached, is full or \
            has a fault of its own; 74 the files or the answer could not be written; 130 and 143 Ctrl-C or SIGTERM \
            ended it.
            """
    )

    @OptionGroup var gateway: GatewayOption

    @OptionGroup var trusted: TrustedAppOptions

    @Option(
        help: "What the assertion signs: framed-v2 or concat-v1.",
        completion: .list(Binding.allCases.map(\.rawValue)))
    var binding = Binding.framedV2.rawValue

    @Option(help: "Directory to be made for the files.", completion: .directory)
    var out: String

    @Option(help: "Decides what the capture shows.")
    var seed: UInt64 = 1

    @Option(
        name: .customLong("photo-bytes"),
        help: """
            Size of the photo in bytes, \(SyntheticCapture.photoByteRange.lowerBound) to \
            \(SyntheticCapture.photoByteRange.upperBound).
            """)
    var photoBytes = 1_500_000

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws {
        _ = try knownBinding()
        let range = SyntheticCapture.photoByteRange
        guard range.contains(photoBytes) else {
            throw ValidationError("--photo-bytes takes \(range.lowerBound) to \(range.upperBound)")
        }
    }

    private func knownBinding() throws -> Binding {
        guard let known = Binding(rawValue: binding) else {
            throw ValidationError("--binding takes framed-v2 or concat-v1, not '\(binding)'")
        }
        return known
    }

    func run() async throws {
        let binding = try knownBinding()
        let folder = try BundleOutput(out)
        let authority = try AuthorityFiles.read(trusted.ca)
        let phone = SimulatedDevice(appID: trusted.appID)
        let device = try await register(phone, authority)
        let capture = try SyntheticCapture(
            seed: seed, photoBytes: photoBytes, capturedAt: Timestamp.systemTime(), deviceModel: phone.model,
            binding: binding)
        let signed = try CaptureSigner(device: phone, binding: binding).sign(capture)
        do {
            try folder.write([
                .photo: capture.photo, .depth: capture.depthMap, .assertion: signed.assertion,
                .metadata: capture.metadata, .root: Array(authority.rootPEM.utf8),
            ])
        } catch let fault as Errno {
            standardError("capturectl: \(ShownText.line("\(out) cannot be written: \(fault)"))\n")
            throw CommandEnd.unwritten
        }
        let answer = BundleAnswer(
            device: device, key: phone.keyID, binding: binding, appID: trusted.appID, directory: folder.absolutePath,
            gateway: gateway.address)
        try printAnswer(json ? JSONText.write(answer) : answer.text(on: .current))
    }

    /// Registers the phone, whose attestation the gateway has to trust; returns the device's id.
    private func register(_ phone: SimulatedDevice, _ authority: TestCertificateAuthority) async throws -> DeviceID {
        let receipts = try TestReceiptIssuer(authority: authority, at: Timestamp.systemTime().date)
        let address = gateway.address
        let progress = Progress()
        let answer: RegistrationAnswer
        do {
            answer = try await HTTPClient.withHTTPClient(configuration: GatewayClient.httpConfiguration) { http in
                let client = GatewayClient(.init(url: address), http: http) { why, pause in
                    progress.note("\(why): trying again in \(TerminalText.pause(pause))")
                }
                return try await client.registerSimulated(phone, authority: authority, receipts: receipts)
            }
        } catch let error as GatewayError {
            standardError("capturectl: \(ShownText.line("\(error)"))\n")
            throw SubmitCommand.end(error)
        }
        guard answer.level == .secureEnclave else {
            let reason = answer.reason.map { " (\(ShownText.line($0)))" } ?? ""
            standardError(
                """
                capturectl: the attestation is not believed\(reason): \(Self.question(answer.reason))
                The device \(answer.device) is registered as one that nobody vouches for.

                """)
            throw CommandEnd.problems
        }
        return answer.device
    }

    /// What to look at where an attestation is not believed for this reason.
    private static func question(_ reason: String?) -> String {
        switch reason.flatMap(Reason.init(rawValue:)) {
        case .rpIDMismatch?: "is --app-id one of the gateway's app.ids?"
        case .environmentMismatch?: "is `production` one of the gateway's app.environments?"
        default: "is --ca what the gateway trusts?"
        }
    }
}
