import AppAttest
import ArgumentParser
import AsyncHTTPClient
import CaptureModel
import DeviceSimulator
import GatewayClient

/// `capturectl simulate [run]`.
struct SimulateRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Registers simulated devices and sends captures.",
        usage: """
            capturectl simulate run --gateway <gateway> --app-id <app-id> --ca <ca>
                [<options>]
            """,
        discussion: """
            Without a token the devices sign for their statuses.

            Examples:
              capturectl simulate run --gateway http://127.0.0.1:8080 \\
                  --app-id "$CAPTURE_APP_IDS" --ca .local/up/ca
              capturectl simulate run --gateway http://127.0.0.1:8080 \\
                  --app-id "$CAPTURE_APP_IDS" --ca .local/up/ca --showcase --json

            Exit codes: 0 every verdict was the expected one; 1 one was not, or a vector of --vectors was refused or \
            cannot be read; 64 bad usage, or no test certificate authority where --ca says; 69 the gateway cannot be \
            reached, is at another address, or TLS with it fails; 74 the answer could not be written; 130 and 143 \
            Ctrl-C or SIGTERM ended it, and the answer has what was sent by then (`stopped`).
            """
    )

    private static let photoLimits =
        "\(SyntheticCapture.photoByteRange.lowerBound)..\(SyntheticCapture.photoByteRange.upperBound)"

    @OptionGroup var gateway: GatewayOption

    @OptionGroup var trusted: TrustedAppOptions

    @Option(
        parsing: .unconditional,
        help: "Devices, 1 to 8, with --showcase at least 2: a gateway gives each address ten challenges a minute.")
    var devices = 5

    @Option(parsing: .unconditional, help: "Captures over all devices, 1 to 100000, with --showcase at least 40.")
    var captures = 44

    @Option(help: "Decides what the captures show.")
    var seed: UInt64 = 1

    @Option(
        name: .customLong("photo-bytes"),
        help: "Sizes of the photos in bytes, as LO..HI, within \(SimulateRunCommand.photoLimits).")
    var photoBytes = ByteRange(500_000...3_000_000)

    @OptionGroup var token: TokenOption

    @Option(parsing: .unconditional, help: "Devices that send at the same time, 1 to 8.")
    var concurrency = 4

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to wait for each verdict, 1 to 3600.", valueName: "seconds"))
    var patience = 120

    @Flag(help: "Replayed, stale, tampered and foreign captures as well, and an unverified device.")
    var showcase = false

    @Flag(help: "A receipt exchange and a device without App Attest as well; needs a token and Apple's stand-in.")
    var trust = false

    @Option(help: ArgumentHelp("With --trust, an enrolment as well, with this invitation.", valueName: "code"))
    var invitation: String?

    @Option(
        help: ArgumentHelp(
            "Verifies Apple's newest real vector with assertions in this directory as well, without the gateway.",
            valueName: "directory"),
        completion: .directory)
    var vectors: String?

    @Flag(help: "Print one JSON object instead of tables.")
    var json = false

    func validate() throws {
        func require(_ good: Bool, _ message: String) throws {
            if !good { throw ValidationError(message) }
        }
        try require((1...8).contains(devices), "--devices takes 1 to 8")
        try require((1...8).contains(concurrency), "--concurrency takes 1 to 8")
        try require((1...100_000).contains(captures), "--captures takes 1 to 100000")
        let photos = SyntheticCapture.photoByteRange
        try require(
            photos.contains(photoBytes.range.lowerBound) && photos.contains(photoBytes.range.upperBound),
            "--photo-bytes takes LO..HI within \(Self.photoLimits)")
        try require((1...3600).contains(patience), "--patience takes 1 to 3600")
        try require(!showcase || captures >= 40, "--showcase needs 40 captures at least")
        try require(!showcase || devices >= 2, "--showcase needs 2 devices at least")
        try require(invitation == nil || trust, "--invitation goes with --trust")
        try require(!trust || token.value != nil, "--trust needs --token or CAPTURE_TOKEN")
        try token.requireCarried()
    }

    func run() async throws {
        let authority = try AuthorityFiles.read(trusted.ca)
        let stranger = try TestCertificateAuthority(name: "Stranger", at: Timestamp.systemTime().date)
        let receipts = try TestReceiptIssuer(authority: authority, at: Timestamp.systemTime().date)
        let plan = self.plan
        let progress = SimulationProgress(total: plan.captureCount)
        let (appID, address, token, invitation) = (trusted.appID, gateway.address, token.value, invitation)
        let (concurrency, patience, trust) = (concurrency, Duration.seconds(patience), trust)
        let stop = StopRequest("stops")
        let (result, records) = try await stop.cancelling {
            try await HTTPClient.withHTTPClient(configuration: GatewayClient.httpConfiguration) {
                http -> (Simulation.Result, [TrustShowcase.Record]) in
                let client = GatewayClient(.init(url: address), http: http) { why, pause in
                    guard stop.signal == nil else { return }
                    progress.note("\(why): trying again in \(TerminalText.pause(pause))")
                }
                let result = await Simulation(
                    plan: plan, appID: appID, authority: authority, stranger: stranger, receipts: receipts,
                    gateway: client, token: token, concurrency: concurrency, patience: patience, progress: progress
                ).run()
                let isAway = result.devices.contains(where: \.unreachable)
                guard trust, !isAway, !Task.isCancelled else { return (result, []) }
                let showcase = TrustShowcase(
                    appID: appID, authority: authority, receipts: receipts, gateway: client, token: token,
                    invitation: invitation, patience: patience)
                let attested = result.devices.first { $0.level == .secureEnclave }
                return (result, await showcase.run(attested: attested?.device))
            }
        }
        let report = SimulationReport(
            result, trust: records, planned: plan.captureCount,
            appleVectors: stop.signal == nil ? vectors.map { AppleVectorCheck.run(in: $0) } : nil,
            isStopped: stop.signal != nil)
        try printAnswer(json ? report.json() : report.text(on: .current))
        if let code = stop.exitCode { throw code }
        if report.isGatewayAway { throw CommandEnd.unavailable }
        if !report.isWell { throw ExitCode.failure }
    }

    private var plan: SimulationPlan {
        showcase
            ? SimulationPlan.showcase(devices: devices, captures: captures, photoBytes: photoBytes.range, seed: seed)
            : SimulationPlan.plain(devices: devices, captures: captures, photoBytes: photoBytes.range, seed: seed)
    }
}

/// `LO..HI` on the command line.
struct ByteRange: ExpressibleByArgument {
    let range: ClosedRange<Int>

    init(_ range: ClosedRange<Int>) {
        self.range = range
    }

    init?(argument: String) {
        let ends = argument.split(separator: "..", maxSplits: 1).map { Int($0) }
        guard ends.count == 2, let low = ends[0], let high = ends[1], low <= high else { return nil }
        range = low...high
    }

    var defaultValueDescription: String { "\(range.lowerBound)..\(range.upperBound)" }
}
