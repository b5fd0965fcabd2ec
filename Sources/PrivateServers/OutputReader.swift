import Foundation
import Synchronization

/// The reading end of a child's output: one thread reads it, and others ask whether it has caught up.
final class OutputReader: Sendable {
    private let descriptor: Int32
    /// Whether the end was read.
    ///
    /// Locked while a piece is read and handed over: whoever asks waits until it is.
    private let isOver = Mutex(false)

    /// Takes the descriptor over.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Hands each piece over as it comes, until nobody has the writing end any more.
    func read(_ take: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            // Not locked while it waits for output: whoever asks would wait as long.
            guard isReadable(withinMilliseconds: -1) else { continue }
            let isAtEnd = isOver.withLock { isOver in
                let count = Foundation.read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    take(buffer[..<count])
                } else {
                    close(descriptor)
                    isOver = true
                }
                return isOver
            }
            if isAtEnd { return }
        }
    }

    /// Whether all that was written so far was handed over.
    var hasCaughtUp: Bool { isOver.withLock { $0 || !isReadable(withinMilliseconds: 0) } }

    private func isReadable(withinMilliseconds limit: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, limit) > 0
    }
}
