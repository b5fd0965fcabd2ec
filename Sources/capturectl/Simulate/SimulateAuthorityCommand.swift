import ArgumentParser
import CaptureModel
import DeviceSimulator

/// `capturectl simulate authority DIR`.
struct SimulateAuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority",
        abstract: "Makes a test certificate authority, unless the directory has one, and prints the path of its root.",
        discussion: """
            Examples:
              capturectl simulate authority .local/up/ca

            Other files of the directory stay as they are. A root.pem beside authority.pem is written anew if it is not \
            that authority's.

            Exit codes: 0 it is there; 64 bad usage, a directory that cannot be made, an authority.pem that is none, or a \
            root.pem without authority.pem; 74 the path could not be written.
            """
    )

    @Argument(help: "Directory of root.pem and authority.pem; the latter holds private keys.", completion: .directory)
    var directory: String

    func run() throws {
        _ = try AuthorityFiles.readOrMake(directory, at: Timestamp.systemTime().date)
        try printAnswer("\(directory)/\(TestCertificateAuthority.FileName.root)")
    }
}
