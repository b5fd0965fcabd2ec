import CaptureModel
import FoundationEssentials

/// The answer of `simulate bundle`: the bundle, and the commands to use it.
struct BundleAnswer: Encodable, Sendable {
    /// The shell commands that lead from the files to accepted evidence.
    ///
    /// They run in the bundle's directory, with the id that answers the upload in the variable CAPTURE.
    struct Commands: Encodable, Sendable {
        /// The upload, by plain HTTP.
        let upload: ShellCommand
        /// The same upload by `capturectl`, which also waits for the verdict.
        let submit: ShellCommand
        /// Reads the evidence into a file.
        let evidence: ShellCommand
        /// Verifies it.
        let verify: ShellCommand
    }

    /// The names of the files in the directory.
    struct Files: Encodable, Sendable {
        let photo = BundleOutput.Part.photo.rawValue
        let depth = BundleOutput.Part.depth.rawValue
        let assertion = BundleOutput.Part.assertion.rawValue
        let metadata = BundleOutput.Part.metadata.rawValue
        let root = BundleOutput.Part.root.rawValue
    }

    let device: DeviceID
    let keyID: KeyID
    let binding: Binding
    let appID: String
    let directory: String
    let files = Files()
    let commands: Commands

    private enum CodingKeys: String, CodingKey {
        case device = "device_id"
        case keyID = "key_id"
        case appID = "app_id"
        case binding, directory, files, commands
    }

    /// Describes a bundle whose device is registered at a gateway.
    init(device: DeviceID, key: KeyID, binding: Binding, appID: String, directory: String, gateway: String) {
        self.device = device
        keyID = key
        self.binding = binding
        self.appID = appID
        self.directory = directory
        let address = ShellCommand.quoted(gateway)
        commands = Commands(
            upload: ShellCommand(
                "curl -sS \(Self.curlAddress(gateway))", "-H 'X-Device-Id: \(device)'",
                #"-F photo=@\#(files.photo)\;type=image/jpeg -F depth_map=@\#(files.depth)"#,
                "-F assertion=@\(files.assertion) -F metadata=@\(files.metadata)"),
            submit: ShellCommand(
                "capturectl submit --gateway \(address)", "--device \(device)",
                "--photo \(files.photo) --depth \(files.depth)",
                "--assertion \(files.assertion) --metadata \(files.metadata)", "--wait 60"),
            evidence: ShellCommand(#"capturectl captures evidence "$CAPTURE" > evidence.json"#),
            verify: ShellCommand(
                "capturectl evidence verify --app-id \(ShellCommand.quoted(appID))",
                "--root \(files.root) --evidence evidence.json",
                "--photo \(files.photo) --depth \(files.depth)"))
    }

    /// The base address for curl, which takes a socket's path separately.
    private static func curlAddress(_ gateway: String) -> String {
        let base = gateway.hasSuffix("/") ? String(gateway.dropLast()) : gateway
        let path = "/api/v1/captures"
        guard let url = URL(string: base), let scheme = url.scheme?.lowercased(), scheme.hasSuffix("+unix"),
            let socket = url.host(percentEncoded: false)
        else { return ShellCommand.quoted(base + path) }
        let address = "\(scheme.dropLast("+unix".count))://localhost\(path)"
        return "--unix-socket \(ShellCommand.quoted(socket)) \(ShellCommand.quoted(address))"
    }

    /// The answer for people.
    func text(on terminal: Terminal) -> String {
        var facts = FactList(on: terminal)
        facts.add("device", "\(device)")
        facts.add("key", "\(keyID)")
        facts.add("binding", binding.rawValue)
        facts.add("directory", directory)
        facts.add("files", BundleOutput.Part.allCases.map(\.rawValue).joined(separator: ", "))
        let words = """
            cd \(ShellCommand.quoted(directory))

            # The upload, either way; submit waits for the verdict, with CAPTURE_TOKEN
            \(commands.upload.lines)
            \(commands.submit.lines)

            # Its evidence; "accepted" is the end of the way
            CAPTURE=…  # the id that the upload is answered
            \(commands.evidence.lines)
            \(commands.verify.lines)
            """
        return facts.text + "\n\n" + ShownText.lines(words)
    }
}
