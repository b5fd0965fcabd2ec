public import CaptureModel
import Synchronization

/// Makes developer tokens and reuses each for a while.
///
/// Apple wants tokens neither older than an hour nor made anew for every request.
public final class DeveloperTokens: Sendable {
    /// How long a token is kept although Apple refuses it: if Apple refuses the key, a new token would not help.
    private static let refusedAgeMin: Duration = .seconds(60)

    private let make: @Sendable (Timestamp) throws(DeveloperKey.Fault) -> String
    private let now: TimeSource
    private let lifetime: Duration
    private let current = Mutex<(text: String, madeAt: Timestamp)?>(nil)

    /// Makes tokens with a key.
    /// - Parameter lifetime: How long a token is used; Apple accepts it for about an hour.
    public convenience init(key: DeveloperKey, lifetime: Duration = .seconds(2400), now: @escaping TimeSource) {
        self.init(lifetime: lifetime, now: now) { moment throws(DeveloperKey.Fault) in
            try key.token(issuedAt: moment.date)
        }
    }

    /// Makes tokens with a function.
    package init(
        lifetime: Duration = .seconds(2400), now: @escaping TimeSource,
        make: @escaping @Sendable (Timestamp) throws(DeveloperKey.Fault) -> String
    ) {
        self.make = make
        self.lifetime = lifetime
        self.now = now
    }

    /// The current token.
    /// - Throws: `signature` when a new token is needed and the key cannot sign it.
    public func token() throws(DeveloperKey.Fault) -> String {
        let moment = now()
        let kept = current.withLock { current in
            current.flatMap { moment.since($0.madeAt) < lifetime && $0.madeAt <= moment ? $0.text : nil }
        }
        if let kept { return kept }
        let text = try make(moment)
        current.withLock { $0 = (text, moment) }
        return text
    }

    /// The current token, for a request to Apple.
    ///
    /// Without a token the request is not sent. That is a fault of the key here, not a refusal by Apple.
    /// - Throws: `unreachable` when the key cannot sign a token.
    func forQuestion() throws(AppleServer.Fault) -> String {
        do throws(DeveloperKey.Fault) {
            return try token()
        } catch {
            throw .unreachable("the developer's key makes no token: \(error)")
        }
    }

    /// Forgets a token that Apple refused, so that the next one is made anew.
    ///
    /// It keeps a newer token that another request has got meanwhile, and a token that is younger than a minute.
    public func renew(_ refused: String) {
        let moment = now()
        current.withLock { current in
            guard let kept = current, kept.text == refused else { return }
            if moment.since(kept.madeAt) >= Self.refusedAgeMin { current = nil }
        }
    }
}
