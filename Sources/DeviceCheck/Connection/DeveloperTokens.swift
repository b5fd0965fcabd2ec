public import CaptureModel
import Synchronization

/// Hands out a developer's token, the same one for a while.
///
/// Apple wants tokens neither older than an hour nor made anew for every request.
public final class DeveloperTokens: Sendable {
    private let key: DeveloperKey
    private let now: TimeSource
    private let lifetime: Duration
    private let current = Mutex<(text: String, madeAt: Timestamp)?>(nil)

    /// Makes tokens with a key.
    /// - Parameter lifetime: How long one is used; Apple takes them for about an hour.
    public init(key: DeveloperKey, lifetime: Duration = .seconds(2400), now: @escaping TimeSource) {
        self.key = key
        self.lifetime = lifetime
        self.now = now
    }

    /// The token of the moment.
    public func token() throws(DeveloperKey.Fault) -> String {
        let moment = now()
        let kept = current.withLock { current in
            current.flatMap { moment.since($0.madeAt) < lifetime && $0.madeAt <= moment ? $0.text : nil }
        }
        if let kept { return kept }
        let text = try key.token(issuedAt: moment.date)
        current.withLock { $0 = (text, moment) }
        return text
    }

    /// Forgets the token, so that the next one is made anew: Apple did not take it.
    public func renew() {
        current.withLock { $0 = nil }
    }
}
