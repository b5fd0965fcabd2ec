package import Observability

/// The bundle directory as a process tells of it: whoever works with it notes that it is away, and it is looked for from
/// then on, since nobody may need it again for hours.
///
/// It is no part of what `/readyz` waits for once the start is over: whoever asks for a status needs no bytes.
package struct BundleProbe: Sendable {
    private let outage: OutageLog
    private let check: (@Sendable () async throws -> Void)?

    /// Names the directory's log, and how to look for it; `nil` where its users do so themselves.
    package init(outage: OutageLog, check: (@Sendable () async throws -> Void)? = nil) {
        self.outage = outage
        self.check = check
    }

    /// Whether those who work with it miss it.
    var isAway: Bool { outage.isAway }

    /// Looks for a directory that is away, and notes that it has answered.
    func look(within limit: Duration) async {
        guard outage.isAway, let check else { return }
        let outcome = await Probe.outcome(within: limit) {
            do { try await check() } catch { return .failed("\(error)") }
            return .answered
        }
        if outcome == .answered { outage.answered() }
    }
}
