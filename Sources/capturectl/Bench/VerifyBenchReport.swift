import CaptureModel

/// The measurements of ``VerifyBench``; the JSON has the derived numbers as well.
struct VerifyBenchReport: Encodable {
    let seconds: Double
    let attestationSeconds: Double
    let assertionSeconds: Double
    /// For an assertion verified together with others; `nil` if the processor cannot.
    let assertionTogetherSeconds: Double?
    /// For a request's signature by an Ed25519 key.
    let ed25519Seconds: Double
    /// For the random bytes of one challenge.
    let challengeSeconds: Double
    let p256Seconds: Double
    let p384Seconds: Double
    let hashBytesPerSecond: Double

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(ProcessorVersion.current, forKey: "version")
        try container.encode(seconds, forKey: "seconds")
        try container.encode(Stopwatch.rounds, forKey: "rounds")
        try container.encode(Figure.rounded(1 / attestationSeconds, 2), forKey: "attestations_per_second")
        try container.encode(Figure.rounded(attestationSeconds * 1e6, 2), forKey: "attestation_microseconds")
        try container.encode(Figure.rounded(1 / assertionSeconds, 2), forKey: "assertions_per_second")
        try container.encode(Figure.rounded(assertionSeconds * 1e6, 2), forKey: "assertion_microseconds")
        try container.encode(
            assertionTogetherSeconds.map { Figure.rounded(1 / $0, 2) }, forKey: "assertions_together_per_second")
        try container.encode(
            assertionTogetherSeconds.map { Figure.rounded($0 * 1e6, 2) }, forKey: "assertion_together_microseconds")
        try container.encode(Figure.rounded(ed25519Seconds * 1e6, 2), forKey: "ed25519_request_microseconds")
        try container.encode(Figure.rounded(challengeSeconds * 1e6, 2), forKey: "challenge_microseconds")
        try container.encode(Figure.rounded(p256Seconds * 1e6, 2), forKey: "p256_verification_microseconds")
        try container.encode(Figure.rounded(p384Seconds * 1e6, 2), forKey: "p384_verification_microseconds")
        try container.encode(Figure.rounded(hashBytesPerSecond / 1e9, 2), forKey: "sha256_gigabytes_per_second")
    }

    /// A table for people.
    var text: String {
        var table = TextTable([
            ("one core", .leading), ("per second", .trailing), ("µs each", .trailing), ("of which bare", .trailing),
        ])
        table.append(row("attestation", attestationSeconds, bare: p384Seconds, "P-384"))
        table.append(row("assertion", assertionSeconds, bare: p256Seconds, "P-256"))
        if let seconds = assertionTogetherSeconds {
            table.append(row("assertion, eight at a time", seconds, bare: nil, ""))
        }
        table.append(row("request of an Ed25519 key", ed25519Seconds, bare: nil, ""))
        table.append(row("challenge", challengeSeconds, bare: nil, ""))
        table.append(row("P-256 verification alone", p256Seconds, bare: nil, ""))
        table.append(row("P-384 verification alone", p384Seconds, bare: nil, ""))
        let megabyte = Figure.rounded(1e12 / hashBytesPerSecond, 2)
        table.append(["SHA-256, per MB", "\(Int(hashBytesPerSecond / 1e6))", "\(megabyte)", ""])
        return table.text + "\nSHA-256: \(Figure.rounded(hashBytesPerSecond / 1e9, 2)) GB/s"
    }

    /// The times beyond their limits, one a line.
    ///
    /// The limits are those of a waiting person: far above what any processor needs.
    var excesses: [String] {
        [
            ("an attestation", attestationSeconds, 0.5), ("a request's assertion", assertionSeconds, 0.05),
            ("a request's Ed25519 signature", ed25519Seconds, 0.05), ("a challenge", challengeSeconds, 0.01),
        ].compactMap { name, seconds, most in
            guard seconds >= most else { return nil }
            return
                "\(name): \(Figure.text(seconds * 1e3, 2)) ms of processor time, \(Figure.text(most * 1e3, 0)) or more"
        }
    }

    private func row(_ name: String, _ seconds: Double, bare: Double?, _ primitive: String) -> [String] {
        let share = bare.map { "\(Int(($0 / seconds * 100).rounded())) % \(primitive)" } ?? ""
        return [name, "\(Int((1 / seconds).rounded()))", "\(Figure.rounded(seconds * 1e6, 2))", share]
    }
}
