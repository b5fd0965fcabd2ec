import ArgumentParser

/// The time of receipt and the trusted roots, for all evidence that Apple's authorities sign.
struct TrustOptions: ParsableArguments {
    @Option(help: "When it was received, as RFC 3339. (default: now)")
    var at: String?

    @Option(
        name: .customLong("root"),
        help: "PEM file of a root certificate that takes the place of Apple's; may be repeated.", completion: .file())
    var roots: [String] = []

    /// Sets both in the fields, and reads the roots' files.
    func fill(_ fields: inout VerificationFields) throws {
        fields.at = at
        try fields.readRoots(roots)
    }
}
