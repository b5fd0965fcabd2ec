import CaptureModel
import CaptureOperations

/// A simulation's outcome as it is printed.
struct SimulationReport: Encodable {
    /// The counts of each outcome.
    struct Summary: Encodable {
        var captures: Int
        var verified: Int
        var rejected: Int
        var refusedAtTheDoor: Int
        var sameCapture: Int
        var unexpected: Int
        var elapsedMilliseconds: Double
        /// Whether Ctrl-C or SIGTERM ended the run: of what it had sent some may have no verdict.
        var isStopped: Bool
        /// Whether every verdict was the expected one.
        var asExpected: Bool

        enum CodingKeys: String, CodingKey {
            case captures, verified, rejected, unexpected
            case refusedAtTheDoor = "refused_at_the_door"
            case sameCapture = "same_capture"
            case elapsedMilliseconds = "elapsed_ms"
            case isStopped = "stopped"
            case asExpected = "as_expected"
        }
    }

    let devices: [SimulatedDeviceRecord]
    let captures: [CaptureRecord]
    let trust: [TrustShowcase.Record]
    /// What came of Apple's vectors; `nil` if none were asked for.
    @OrNull private(set) var appleVectors: AppleVectorCheck.Result?
    let summary: Summary
    /// How many captures the run was to send.
    let planned: Int

    enum CodingKeys: String, CodingKey {
        case devices, captures, trust, summary
        case appleVectors = "apple_vectors"
    }

    /// Sums a run up.
    init(
        _ result: Simulation.Result, trust: [TrustShowcase.Record], planned: Int,
        appleVectors: AppleVectorCheck.Result?, isStopped: Bool = false
    ) {
        self.planned = planned
        devices = result.devices
        self.trust = trust
        captures = result.captures
        self.appleVectors = appleVectors
        func count(_ verdict: String) -> Int { result.captures.count { $0.verdict == verdict } }
        let unexpected =
            result.captures.count(where: \.isUnexpected) + result.devices.count { !$0.expected }
            + trust.count { !$0.expected }
        // A device that cannot register sends none of its captures; a run without any capture shows nothing.
        let sentAll = result.captures.count == planned || result.devices.contains { $0.expected && $0.device == nil }
        summary = Summary(
            captures: result.captures.count, verified: count(CaptureState.verified.rawValue),
            rejected: count(CaptureState.rejected.rawValue),
            refusedAtTheDoor: result.captures.count { $0.verdict.hasPrefix("refused") },
            sameCapture: count("same capture"), unexpected: unexpected,
            elapsedMilliseconds: result.elapsed.milliseconds, isStopped: isStopped,
            asExpected: !isStopped && unexpected == 0 && sentAll && !result.captures.isEmpty
        )
    }

    /// One JSON object, keys in order.
    func json() throws -> String { try JSONText.write(self, isIndented: true) }

    /// Whether every verdict was the expected one, and no vector of Apple's was refused.
    var isWell: Bool { summary.asExpected && appleVectors?.passed != false }

    /// Whether the run ended because the gateway did not answer.
    var isGatewayAway: Bool { devices.contains(where: \.unreachable) }
}
