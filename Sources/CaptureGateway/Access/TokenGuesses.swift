import CaptureModel
import Synchronization

/// Bounds how often one client may try tokens, over all gateways, as logins are bounded.
///
/// Only unknown tokens count. A client that has used up its guesses is refused before its next token is looked at, even
/// the right one: otherwise the answers would go on telling whether a guess was right. A token that was right before,
/// from the same address, still passes. So nobody is kept out by others who guess from the same address. Logins,
/// devices and open streams are not affected.
final class TokenGuesses: Sendable {
    private struct State {
        /// Unknown tokens that are being counted now, by client.
        var pending: [String: Int] = [:]
        /// Until when clients are refused.
        var refusals: [String: Timestamp] = [:]
        /// The refusals in their order; entries that have changed since are skipped.
        var refusalsInOrder: ArraySlice<(client: String, end: Timestamp)> = []
        /// The right tokens, and the clients that sent them.
        var proofs: Set<Proof> = []
    }

    private struct Proof: Hashable {
        let client: String
        let token: SHA256Digest
    }

    /// The most refused clients that are remembered; beyond them the first is forgotten, and counted again.
    static let refusalsMax = 10_000
    /// The most proofs that are remembered; beyond them all are forgotten, and made again by the next requests.
    private static let proofsMax = 10_000

    private let rate: RequestRate
    private let limit: Int
    private let now: TimeSource
    private let state = Mutex(State())

    init(rates: GatewayConfiguration.Rates, dependencies: GatewayDependencies) {
        rate = RequestRate(rates: rates, dependencies: dependencies)
        limit = RateSubject.token.limit(rates)
        now = dependencies.now
    }

    /// Lets a client's token be looked at.
    ///
    /// Only this gateway's memory is asked: the holder of a right token needs no server for it.
    /// - Throws: `RATE_LIMITED` when the client has tried too many.
    func admit(_ client: String, _ token: SHA256Digest) throws(APIError) {
        let time = now()
        let wait = state.withLock { state -> Duration? in
            if state.proofs.contains(Proof(client: client, token: token)) { return nil }
            // Bounds the unknown tokens that a client sends at once.
            if state.pending[client, default: 0] >= limit { return .seconds(1) }
            let wait = state.refusals[client].map { $0.since(time) }
            // A clock that was set back keeps nobody out.
            guard let wait, wait > .zero, wait <= GatewayConfiguration.Rates.window else {
                state.refusals[client] = nil
                return nil
            }
            return wait
        }
        if let wait { throw RequestRate.refused(.token, for: wait) }
    }

    /// Remembers that a client's token was right.
    func noteKnown(_ client: String, _ token: SHA256Digest) {
        let proof = Proof(client: client, token: token)
        state.withLock { state in
            guard !state.proofs.contains(proof) else { return }
            if state.proofs.count >= Self.proofsMax { state.proofs.removeAll() }
            state.proofs.insert(proof)
        }
    }

    /// Counts a token of a client's that is not known.
    ///
    /// - Throws: `RATE_LIMITED` when it was one too many, `UNAVAILABLE` when nobody can tell.
    func note(_ client: String) async throws(APIError) {
        state.withLock { $0.pending[client, default: 0] += 1 }
        defer {
            state.withLock { state in
                let left = state.pending[client, default: 1] - 1
                state.pending[client] = left > 0 ? left : nil
            }
        }
        guard let wait = try await rate.wait(.token, of: client) else { return }
        remember(client, until: now().advanced(by: wait))
        throw RequestRate.refused(.token, for: wait)
    }

    private func remember(_ client: String, until end: Timestamp) {
        state.withLock { state in
            state.refusals[client] = end
            state.refusalsInOrder.append((client, end))
            while state.refusals.count > Self.refusalsMax || state.refusalsInOrder.count > 2 * Self.refusalsMax,
                let first = state.refusalsInOrder.popFirst()
            {
                // A client that was refused again has a later entry, too.
                if state.refusals[first.client] == first.end { state.refusals[first.client] = nil }
            }
        }
    }
}
