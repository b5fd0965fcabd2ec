import Testing

/// What came of something whose time was taken.
struct TimedRound: Sendable {
    /// What was late, in words; `nil` if nothing was.
    let late: String?
    /// Whether the machine was held up meanwhile, as ``MachineWatch`` tells.
    let wasHeldUp: Bool
}

/// Expects that nothing is late; a round in which the machine was held up shows nothing, and is repeated twice at the most.
func expectInTime(
    sourceLocation: SourceLocation = #_sourceLocation, _ round: () async throws -> TimedRound
) async throws {
    for number in 1...3 {
        let result = try await round()
        guard let late = result.late else { return }
        print("round \(number): \(late)\(result.wasHeldUp ? ", while the machine was held up" : "")")
        guard result.wasHeldUp, number < 3 else {
            Issue.record("round \(number): \(late)", sourceLocation: sourceLocation)
            return
        }
    }
}
