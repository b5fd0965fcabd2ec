import AppAttest
import Testing

/// One change to an attestation that verifies without it.
struct ForgedCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: AttestationError.Code?
    let change: @Sendable (inout AttestationForge) -> Void

    init(
        _ name: String, _ expected: AttestationError.Code?,
        _ change: @escaping @Sendable (inout AttestationForge) -> Void
    ) {
        testDescription = name
        self.expected = expected
        self.change = change
    }

    /// Expects the reason of the change, or none if it is harmless.
    func expectReason(sourceLocation: SourceLocation = #_sourceLocation) throws {
        var forge = AttestationForge()
        change(&forge)
        do {
            _ = try forge.verify()
            #expect(expected == nil, sourceLocation: sourceLocation)
        } catch let error as AttestationError {
            #expect(error.code == expected, "\(error)", sourceLocation: sourceLocation)
        }
    }
}
