import AppleStandIn
import ArgumentParser
import CaptureModel
import Crypto
import DeviceSimulator
import Hummingbird
import Logging
import NIOCore
import SystemPackage

/// `capturectl simulate apple`.
struct SimulateAppleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple",
        abstract: "Answers as Apple's servers for receipts and DeviceCheck do, on this machine.",
        usage: "capturectl simulate apple --ca <ca> --key <key> [<options>]",
        discussion: """
            Writes the developer's key to a file unless it is there, and prints the addresses for apple.receiptsURL and \
            apple.deviceCheckURL. Receipts are those of the test certificate authority. It remembers nothing when it ends.

            Examples:
              capturectl simulate apple --ca .local/up/ca --key developer.p8
              capturectl simulate apple --ca .local/up/ca --key developer.p8 --port 8090

            Exit codes: 0 Ctrl-C or SIGTERM has stopped it; 64 bad usage, or a file that is none; 69 the port cannot be \
            listened on; 74 the addresses could not be written.
            """
    )

    @Option(help: "Directory or authority.pem of the test certificate authority.", completion: .file())
    var ca: String

    @Option(
        help: "File of the developer's key, for apple.keyFile; made unless it is there.", completion: .file())
    var key: String

    @Option(name: .customLong("key-id"), help: "Apple's name for the key: ten capital letters and digits.")
    var keyID = "ABC123DEFG"

    @Option(name: .customLong("team-id"), help: "The team: ten capital letters and digits.")
    var teamID = "TEAM123456"

    @Option(help: "Port to listen on, 1 to 65535; 0 takes a free one.")
    var port = 0

    func validate() throws {
        for (option, name) in [("--key-id", keyID), ("--team-id", teamID)] where !Self.isName(name) {
            throw ValidationError("\(option) takes ten capital letters and digits, not '\(name)'")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535") }
    }

    /// Whether a text has the form of Apple's ids, the only one that programs accept.
    private static func isName(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }

    func run() async throws {
        let authority = try AuthorityFiles.read(ca)
        let standIn = AppleStandIn(
            receipts: try TestReceiptIssuer(authority: authority, at: Timestamp.systemTime().date),
            developer: .init(key: try DeveloperKeyFile.key(key).publicKey, keyID: keyID, teamID: teamID),
            now: Timestamp.systemTime)
        var logger = Logger(label: "apple")
        logger.logLevel = .warning
        let server = standIn.application(port: port, logger: logger) { address in
            let base = "http://127.0.0.1:\(address?.port ?? 0)"
            do throws(ExitCode) {
                try printAnswer("listening on \(base)/production and \(base)/development")
            } catch {
                // Scripts wait for this line, and would wait forever.
                Self.exit(withError: error)
            }
        }
        do {
            try await server.runService()
        } catch let error as IOError {
            let words = Errno(rawValue: error.errnoCode).description
            standardError("capturectl: 127.0.0.1:\(port) cannot be listened on: \(words)\n")
            throw CommandEnd.unavailable
        }
    }
}
