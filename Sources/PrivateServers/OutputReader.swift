import Foundation
import Synchronization

/// The reading end of a child's output: one thread reads it, and another may ask for what is there already.
final class OutputReader: Sendable {
    /// As much as a pipe holds: one read takes all that was written before it.
    private static let pieceBytesMax = 65_536

    private let descriptor: Int32
    /// Whether the end was read.
    ///
    /// Locked while a piece is read and handed over: pieces arrive in the order in which they were written.
    private let isOver = Mutex(false)

    /// Takes the descriptor over.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Hands each piece over as it comes, until nobody has the writing end any more.
    func read(_ take: (ArraySlice<UInt8>) -> Void) {
        while true {
            // Not locked while it waits for output: `readWritten` would wait as long.
            guard isReadable(withinMilliseconds: -1) else { continue }
            let isAtEnd = isOver.withLock { isOver in
                // `readWritten` may have read it meanwhile.
                guard isReadable(withinMilliseconds: 0) else { return false }
                isOver = !readPiece(take)
                if isOver { close(descriptor) }
                return isOver
            }
            if isAtEnd { return }
        }
    }

    /// Hands over all that was written so far, and waits for nothing that is written later.
    func readWritten(_ take: (ArraySlice<UInt8>) -> Void) {
        isOver.withLock { isOver in
            guard !isOver, isReadable(withinMilliseconds: 0) else { return }
            // An end is left to the thread that reads, which meets it again.
            _ = readPiece(take)
        }
    }

    /// Hands one piece over; returns `false` at the end.
    private func readPiece(_ take: (ArraySlice<UInt8>) -> Void) -> Bool {
        var buffer = [UInt8](repeating: 0, count: Self.pieceBytesMax)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        if count > 0 { take(buffer[..<count]) }
        return count > 0
    }

    private func isReadable(withinMilliseconds limit: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, limit) > 0
    }
}
