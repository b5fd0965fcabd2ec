import Waiting

/// Lets few pictures be made at once, and keeps the others waiting for a while.
///
/// Each takes a whole bundle into memory, which no other budget counts.
final class PictureGate: Sendable {
    private let turnstile: Turnstile
    private let waitMax: Duration

    /// - Parameters:
    ///   - placesMax: How many are made at once.
    ///   - waitersMax: How many wait at the most.
    ///   - waitMax: How long one waits.
    init(placesMax: Int, waitersMax: Int = 64, waitMax: Duration = .seconds(2)) {
        turnstile = Turnstile(placesMax: placesMax, waitersMax: waitersMax)
        self.waitMax = waitMax
    }

    /// For tests: how many wait now.
    var waiters: Int { turnstile.status.waiting }

    fileprivate func enter() async throws(APIError) -> Turnstile.Place {
        do throws(Turnstile.Refusal) {
            return try await turnstile.enter(within: waitMax)
        } catch {
            // Whoever was cancelled reads no answer.
            throw Self.busy
        }
    }

    fileprivate func leave(_ place: Turnstile.Place) {
        turnstile.leave(place)
    }

    private static let busy = APIError(
        .unavailable, "too many pictures are being made: try again in a moment", retryAfter: .seconds(2),
        cause: .busy("the places for pictures are taken"))
}

/// A place of a gate, given back when nobody holds it any more.
final class PicturePlace: Sendable {
    private let gate: PictureGate
    private let place: Turnstile.Place

    /// Waits for one.
    /// - Throws: `UNAVAILABLE` when none becomes free in time, or too many wait already.
    init(at gate: PictureGate) async throws(APIError) {
        place = try await gate.enter()
        self.gate = gate
    }

    deinit { gate.leave(place) }
}
