import Glibc
import Synchronization

/// A way in which a capture takes down the worker that verifies it.
package enum Poison: String, CaseIterable, Sendable {
    /// The process aborts.
    case crash
    /// The verification never ends and never lets its thread go.
    case loop
    /// The verification takes memory without end.
    case memory

    /// The most memory that ``memory`` takes and then keeps: enough for any limit of a test, bearable for its machine.
    private static let memoryBytesMax = 1 << 30
    private static let pieceBytes = 8 << 20

    /// Acts on this process.
    func act() {
        switch self {
        case .crash: abort()
        case .loop: Self.spin()
        case .memory:
            var pieces: [[UInt8]] = []
            while pieces.count < Self.memoryBytesMax / Self.pieceBytes {
                // Filled with ones: untouched pages of zeros take no memory.
                pieces.append([UInt8](repeating: 1, count: Self.pieceBytes))
            }
            withExtendedLifetime(pieces) { Self.spin() }
        }
    }

    private static func spin() {
        // An effect that the optimizer must keep.
        let turns = Atomic(0)
        while true { turns.wrappingAdd(1, ordering: .relaxed) }
    }
}
