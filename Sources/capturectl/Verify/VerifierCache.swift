/// Keeps one verifier for each settings, so that many lines share its caches.
struct VerifierCache<Settings: Hashable, Verifier> {
    private var verifiers: [Settings: Verifier] = [:]
    private let countMax = 64

    /// The verifier for these settings; a full cache is emptied first.
    mutating func verifier(
        for settings: Settings, _ make: () throws(VerificationFault) -> Verifier
    ) throws(VerificationFault) -> Verifier {
        if let verifier = verifiers[settings] { return verifier }
        let verifier = try make()
        if verifiers.count >= countMax { verifiers.removeAll() }
        verifiers[settings] = verifier
        return verifier
    }
}
