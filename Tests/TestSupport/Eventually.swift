import Foundation
import PrivateServers

/// Checks a condition again and again until it holds; the caller's time limit ends it.
///
/// For states of another process that cause no event (how many clients a server has, whether a queue is empty). Events
/// are awaited instead. A test whose time is over is named by the runner, but not the line at which it waited: that is
/// told here.
package func eventually(
    fileID: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
    do {
        while try await !condition() { try await letTimePass(.milliseconds(10)) }
    } catch {
        if Task.isCancelled {
            let note = "✘ \(fileID):\(line): what was awaited here had not come when the wait was ended\n"
            FileHandle.standardError.write(Data(note.utf8))
        }
        throw error
    }
}

/// Checks a condition again and again until it holds or the time is over; returns whether it held.
package func eventually(within limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        try await letTimePass(.milliseconds(100))
    }
    return true
}
