public import CaptureQueue
public import Observability

/// The bundle directory as a process tells of it: whoever works with it notes that it is away, and it is looked for from
/// then on, since nobody may need it again for hours.
///
/// It is no part of what `/readyz` waits for once the start is over: whoever asks for a status needs no bytes.
public struct BundleProbe: Sendable {
    /// Looks whether the directory is there.
    public typealias Check = @Sendable () async throws(QueueError) -> Void

    private let outage: OutageLog
    private let check: Check?

    /// Names the directory's log, and how to look for it; `nil` where its users do so themselves.
    public init(outage: OutageLog, check: Check? = nil) {
        self.outage = outage
        self.check = check
    }

    /// Whether those who work with it miss it.
    var isAway: Bool { outage.isAway }

    /// Looks for a directory that is away, and notes that it has answered.
    func look(within limit: Duration) async {
        guard outage.isAway, let check else { return }
        let outcome = await Probe.outcome(within: limit) {
            do throws(QueueError) { try await check() } catch { return .failed }
            return .answered
        }
        if outcome == .answered { outage.answered() }
    }
}
