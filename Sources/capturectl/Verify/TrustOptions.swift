import ArgumentParser

/// When evidence was received, and which roots it may rest on: the same for whatever Apple's authorities sign.
struct TrustOptions: ParsableArguments {
    @Option(help: "When it was received, as RFC 3339. (default: now)")
    var at: String?

    @Option(
        name: .customLong("root"),
        help: "PEM file of a root certificate that takes the place of Apple's; may be repeated.", completion: .file())
    var roots: [String] = []

    /// Notes both among the fields, with the roots' files read.
    func fill(_ fields: inout VerificationFields) throws {
        fields.at = at
        fields.roots = try roots.map(FileArgument.text)
    }
}
