import CaptureQueue

/// Of how many dead letters bytes or jobs are not there any more, which decides what becomes of them.
struct DeadLosses: Sendable {
    /// Whose bytes are gone.
    let bytesGone: Int
    /// Whose bytes a worker did not find, and nobody has looked for again.
    let bytesNotFound: Int
    /// Whose job Redis has lost, or is malformed.
    let jobsLost: Int

    /// Counts them.
    init(of letters: [DeadLetter]) {
        bytesGone = letters.count { $0.bytes == .gone }
        bytesNotFound = letters.count { $0.bytes == .notFound }
        jobsLost = letters.count { $0.size == nil }
    }
}
