import CaptureModel
import Synchronization

/// Bounds how often one client may try tokens, over all gateways, as logins are bounded.
///
/// Only tokens that are not known count. A client that has tried the most it may is refused before its next token is
/// looked at, even the right one: if that passed, the answers would go on telling whether a guess was right. A token that
/// was right from the same address before passes all the same. So nobody is kept out by somebody else who guesses from
/// the same address; neither are logins, devices and open streams.
final class TokenGuesses: Sendable {
    private struct State {
        /// Unknown tokens that are being counted now, by client.
        var pending: [String: Int] = [:]
        /// Until when clients are refused.
        var refusals: [String: Timestamp] = [:]
        /// The same in the order in which they were refused; what has changed since is passed over.
        var refusalsInOrder: ArraySlice<(client: String, end: Timestamp)> = []
        /// What was right, and from where.
        var proofs: Set<Proof> = []
    }

    private struct Proof: Hashable {
        let client: String
        let token: SHA256Digest
    }

    /// Refused clients that are remembered at once; for a further one the first is forgotten, and counted again.
    static let refusalsMax = 10_000
    /// Proofs that are remembered at once; beyond them all are forgotten, and made again by the next request.
    private static let proofsMax = 10_000

    private let rate: RequestRate
    private let limit: Int
    private let now: TimeSource
    private let state = Mutex(State())

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        rate = RequestRate(configuration: configuration, dependencies: dependencies)
        limit = RateSubject.token.limit(configuration)
        now = dependencies.now
    }

    /// Lets a client's token be looked at.
    ///
    /// Nothing but this gateway's memory is asked: who has the right token needs no server for it.
    /// - Throws: `RATE_LIMITED` when the client has tried too many.
    func admit(_ client: String, _ token: SHA256Digest) throws(APIError) {
        let time = now()
        let wait = state.withLock { state -> Duration? in
            if state.proofs.contains(Proof(client: client, token: token)) { return nil }
            // However many the client sends at once.
            if state.pending[client, default: 0] >= limit { return .seconds(1) }
            let wait = state.refusals[client].map { $0.since(time) }
            // A clock that was set back keeps nobody out.
            guard let wait, wait > .zero, wait <= GatewayConfiguration.rateWindow else {
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
                // Who was refused again since stands farther behind, too.
                if state.refusals[first.client] == first.end { state.refusals[first.client] = nil }
            }
        }
    }
}
