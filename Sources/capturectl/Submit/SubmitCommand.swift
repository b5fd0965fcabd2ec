import ArgumentParser
import AsyncHTTPClient
import CaptureModel
import GatewayClient
import Waiting

/// `capturectl submit`: sends a signed capture from files.
struct SubmitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Sends a signed capture from files to a gateway.",
        usage: """
            capturectl submit --gateway <gateway> --device <device> --photo <file>
                --depth <file> --assertion <file> --metadata <file> [<options>]
            """,
        discussion: """
            The files are what the app would send: a JPEG, the depth map as uploaded (raw, gzip, zlib or deflate), the \
            assertion (CBOR or base64 of it) and the metadata (JSON). The assertion must be the device's over these very \
            bytes. The same files again are the same capture; the answer tells whether they were sent before \
            (`duplicate`). A gateway that is full or away is asked again, no longer than --timeout; that it is, and each \
            pause, is told on the error stream. With --wait the id is told there as soon as the gateway has accepted the \
            capture.

            Examples:
              capturectl submit --gateway http://127.0.0.1:8080 \\
                  --device 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 \\
                  --photo photo.jpg --depth depth.bin --assertion assertion.cbor \\
                  --metadata metadata.json
              CAPTURE_TOKEN=… capturectl submit … --wait 60 --json

            Exit codes: 0 accepted, and with --wait verified; 1 refused, rejected or failed; 64 bad usage, \
            another address is the gateway's, or its certificate is not trusted; 69 the gateway cannot be reached, is \
            full or has a fault of its own, or nothing is known of the verdict within --wait, and the answer says then \
            that the capture is accepted; 74 the answer could not be written; 130 and 143 Ctrl-C or SIGTERM ended it, \
            and the answer says what is known of a capture that was accepted by then.
            """
    )

    @OptionGroup var gateway: GatewayOption

    @Option(help: "The device's id.", transform: CommandValue.deviceID)
    var device: DeviceID

    @Option(help: ArgumentHelp("The photo.", valueName: "file"), completion: .file())
    var photo: String

    @Option(help: ArgumentHelp("The depth map.", valueName: "file"), completion: .file())
    var depth: String

    @Option(help: ArgumentHelp("The assertion.", valueName: "file"), completion: .file())
    var assertion: String

    @Option(help: ArgumentHelp("The metadata.", valueName: "file"), completion: .file())
    var metadata: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Give sending up after so long, 1 to 3600, pauses included.", valueName: "seconds"))
    var timeout = 120

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Then wait so long for the verdict, 1 to 3600; needs a token. (default: no wait)", valueName: "seconds"))
    var wait: Int?

    @OptionGroup var token: TokenOption

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout takes 1 to 3600") }
        guard wait.map({ (1...3600).contains($0) }) ?? true else { throw ValidationError("--wait takes 1 to 3600") }
        guard wait != nil else { return }
        guard token.value != nil else { throw ValidationError("--wait needs --token or CAPTURE_TOKEN") }
        try token.requireCarried()
    }

    func run() async throws {
        let device = device
        let upload = CaptureUpload(
            photo: try FileArgument.media(photo), depthMap: try FileArgument.media(depth),
            metadata: try FileArgument.file(metadata), assertion: try FileArgument.file(assertion))
        let (address, limit) = (gateway.address, wait.map { Duration.seconds($0) })
        let (token, json, timeout) = (token.value ?? "", json, timeout)
        let (progress, stop) = (Progress(), StopRequest("stops"))
        let answer: SubmitAnswer
        do {
            answer = try await stop.cancelling {
                try await HTTPClient.withHTTPClient(configuration: GatewayClient.httpConfiguration) { http in
                    let client = GatewayClient(Self.patience(with: address), http: http) { why, pause in
                        guard stop.signal == nil else { return }
                        progress.note("\(why): trying again in \(TerminalText.pause(pause))")
                    }
                    progress.show("sending \(TerminalText.bytes(upload.byteCount)) …")
                    let receipt = try await client.upload(upload, device: device, within: .seconds(timeout))
                    guard let limit else { return SubmitAnswer(receipt) }
                    // The id stays to be read, however this command ends.
                    progress.note("\(receipt.captureID) is accepted; waiting for the verdict …")
                    return await Self.verdict(on: receipt, of: client, within: limit, token: token)
                }
            }
        } catch let error as GatewayError {
            progress.finish()
            standardError("capturectl: \(ShownText.line(Self.words(for: error, timeout: timeout)))\n")
            throw stop.exitCode ?? Self.end(error)
        }
        progress.finish()
        if let words = answer.waitWords {
            standardError("capturectl: \(words)\n")
        } else if let wait, answer.state.isWaiting, stop.signal == nil {
            standardError("capturectl: accepted, but there was no verdict within \(wait) s\n")
        }
        try printAnswer(json ? JSONText.write(answer) : answer.text(on: .current))
        if let code = stop.exitCode ?? answer.end(waited: limit != nil) { throw code }
    }

    /// Retries without limit, for as long as the command may take.
    static func patience(with address: String) -> GatewayClient.Configuration {
        GatewayClient.Configuration(
            url: address, attemptsMax: .max, backoff: Backoff(base: .milliseconds(250), cap: .seconds(15)))
    }

    /// The message for an upload that failed.
    ///
    /// After a timeout or a stop it may have arrived all the same; sending the same files again shows that.
    static func words(for error: GatewayError, timeout: Int) -> String {
        switch error {
        case .outOfTime(let last): "not sent within \(timeout) s; last: \(last)"
        case .cancelled:
            "stopped before the gateway had answered; send the same files again to learn whether it has them"
        default: "\(error)"
        }
    }

    /// The exit code if nothing was accepted; a wrong address of the gateway is bad usage.
    static func end(_ error: GatewayError) -> ExitCode {
        switch error {
        case .elsewhere, .untrusted: ExitCode.validationFailure
        default: error.isFinal ? CommandEnd.problems : CommandEnd.unavailable
        }
    }

    /// Waits for the verdict; if that fails, the capture stays accepted.
    private static func verdict(
        on receipt: UploadReceipt, of client: GatewayClient, within limit: Duration, token: String
    ) async -> SubmitAnswer {
        do throws(GatewayError) {
            let status = try await client.settled(receipt.captureID, within: limit) { _ in .token(token) }
            return SubmitAnswer(status, isDuplicate: receipt.isDuplicate)
        } catch {
            // Whoever has stopped it knows why there is no verdict.
            return SubmitAnswer(receipt, waitFault: error == .cancelled ? nil : error)
        }
    }
}
