package import CaptureModel
import Synchronization

/// Everything that the phones sent and what they were told: what the auditor holds the record to.
package final class Journal: Sendable {
    /// One sending and its story.
    package struct Entry: Sendable {
        /// What was sent.
        package let sending: Sending
        /// When it was sent first.
        package let sentAt: Timestamp
        /// Every 202, in order: the capture's id and when it came.
        package var accepted: [(capture: CaptureID, at: Timestamp)] = []
        /// Every other answer or silence, in order, and the refusal that ended the sending if there was one.
        package var setbacks: [(text: String, at: Timestamp)] = []
        /// The gateway said no for good.
        package var refusal: String?
    }

    private struct State {
        var entries: [Entry] = []
        var answers: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// Starts an empty one.
    package init() {}

    /// Everything so far, in the order of the first attempts.
    package var entries: [Entry] { state.withLock { $0.entries } }

    /// How often each answer was given: `202`, `503 UNAVAILABLE`, `no answer` and so on.
    package var answers: [String: Int] { state.withLock { $0.answers } }

    /// How many sendings were answered 202.
    package var acceptedCount: Int { state.withLock { $0.entries.count { !$0.accepted.isEmpty } } }

    /// Notes a sending before its first attempt; returns its place.
    func begin(_ sending: Sending) -> Int {
        let now = Timestamp.systemTime()
        return state.withLock { state in
            state.entries.append(Entry(sending: sending, sentAt: now))
            return state.entries.count - 1
        }
    }

    /// Notes a 202.
    func accepted(_ place: Int, as capture: CaptureID) {
        let now = Timestamp.systemTime()
        state.withLock { state in
            state.entries[place].accepted.append((capture, now))
            state.answers["202", default: 0] += 1
        }
    }

    /// Notes an attempt that has to be repeated.
    func setback(_ place: Int, _ answer: String) {
        let now = Timestamp.systemTime()
        state.withLock { state in
            state.entries[place].setbacks.append((answer, now))
            state.answers[answer, default: 0] += 1
        }
    }

    /// Notes a refusal that no repetition changes.
    func refused(_ place: Int, _ answer: String) {
        state.withLock { state in
            state.entries[place].refusal = answer
            state.answers[answer, default: 0] += 1
        }
    }
}
