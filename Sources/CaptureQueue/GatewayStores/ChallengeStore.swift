/// Where issued challenges wait to be presented once, shared by all gateways.
package protocol ChallengeStore: Sendable {
    /// Notes a challenge as issued, for as long as it may be presented.
    func issue(_ challenge: [UInt8], lifetime: Duration) async throws(QueueError)

    /// Uses a challenge up: `true` for the one caller that presents it first and in time.
    ///
    /// A call whose outcome is unknown counts as a use: it throws, and the device asks for a new challenge.
    func consume(_ challenge: [UInt8]) async throws(QueueError) -> Bool
}
