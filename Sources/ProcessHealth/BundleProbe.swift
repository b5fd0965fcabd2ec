package import Observability

/// Tells whether the bundle directory is away, and probes it until it is back.
///
/// The code that works with it notes that it is away; it is probed since nobody may need it again for hours.
///
/// `/readyz` waits for it only during the start: a status request needs no bytes.
package struct BundleProbe: Sendable {
    private let outage: OutageLog
    private let check: (@Sendable () async throws -> Void)?

    /// Takes the directory's outage log and a check, which throws while the directory is away; `nil` where its users
    /// check it themselves.
    package init(outage: OutageLog, check: (@Sendable () async throws -> Void)? = nil) {
        self.outage = outage
        self.check = check
    }

    /// Whether the directory counts as away.
    var isAway: Bool { outage.isAway }

    /// Probes the directory while it is away, and notes when it answers.
    func look(within limit: Duration) async {
        guard outage.isAway, let check else { return }
        let outcome = await Probe.outcome(within: limit) {
            do { try await check() } catch { return .failed("\(error)") }
            return .answered
        }
        if outcome == .answered { outage.answered() }
    }
}
