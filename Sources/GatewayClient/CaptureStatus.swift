package import CaptureModel

/// Where a capture stands, as dashboards see it.
package struct CaptureStatus: Sendable, Equatable {
    /// Where a capture's time went.
    package struct Timings: Sendable, Equatable {
        /// From accepted to claimed.
        package let queue: Duration?
        /// From claimed to verified.
        package let verify: Duration?
        /// From verified to settled.
        package let settle: Duration?
    }

    /// The capture.
    package let captureID: CaptureID
    /// Where it stands.
    package let state: CaptureState
    /// Why it was rejected or failed; a code that this version may not know.
    package let reason: String?
    /// The fault that put it off or made it fail.
    package let fault: String?
    /// When a capture that was put off is tried again (RFC 3339).
    package let nextAttemptAt: String?
    /// How much the evidence carries, once verified.
    package var confidence: Confidence?
    /// How often it was claimed.
    package let attempts: Int?
    /// Where the time went, once settled.
    package let timings: Timings
    /// Whether it was redriven, so that later captures of its device may have been settled before it.
    package let isRedriven: Bool?
    /// Since when the device's key may have been in other hands, if the capture is from then or later (RFC 3339).
    package let compromisedSince: String?

    /// Reads the member `data` of a status answer.
    init?(_ data: JSONValue) {
        guard let id = data["capture_id"]?.string.flatMap({ CaptureID($0) }),
            let state = data["status"]?.string.flatMap(CaptureState.init(rawValue:))
        else { return nil }
        self.captureID = id
        self.state = state
        self.reason = data["reason"]?.string
        self.fault = data["fault"]?.string
        self.nextAttemptAt = data["next_attempt_at"]?.string
        self.confidence = data["confidence"]?.string.flatMap(Confidence.init(rawValue:))
        self.attempts = data["attempts"]?.double.flatMap { Int(exactly: $0.rounded()) }
        self.isRedriven = data["redriven"]?.bool
        self.compromisedSince = data["compromised_since"]?.string
        func duration(_ name: String) -> Duration? {
            data["timings"]?[name]?.double.flatMap { Int64(exactly: ($0 * 1000).rounded()).map { .microseconds($0) } }
        }
        self.timings = Timings(
            queue: duration("queue_ms"), verify: duration("verify_ms"), settle: duration("settle_ms")
        )
    }
}
