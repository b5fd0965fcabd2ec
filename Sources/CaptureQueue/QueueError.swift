package import CaptureModel

/// Why the queue, or the store of the captures' bytes, could not do what was asked.
///
/// Never a verdict on a capture. Every call may throw any of the codes, but for ``Code/restoring``, ``Code/starting`` and
/// ``Code/tooFewReplicas``, which are of calls that take captures, or put them back. After all but ``Code/outcomeUnknown``,
/// ``Code/tooFewReplicas`` and ``Code/malformedReply`` nothing was done; of a call that only reads, `outcomeUnknown` says no
/// more than `unavailable`.
package struct QueueError: Error, Equatable, CustomStringConvertible {
    /// The server that the fault is of; the raw value begins its description.
    package enum Server: String, Sendable {
        /// The queue's Redis, which may keep the bytes, too.
        case queue
        /// A store of bytes beside the queue: the bundle directory.
        case bundles

        /// The server as outages name it.
        package var backing: BackingServer {
            switch self {
            case .queue: .redis
            case .bundles: .bundles
            }
        }
    }

    /// The kind of fault; equality is by kind.
    package enum Code: String, Sendable {
        /// The server is away, loading, read-only or out of memory: try again.
        case unavailable
        /// Nothing was done, though no server is away: too many calls wait, or a precondition is not met yet.
        case busy
        /// The program is starting and takes no bytes yet: nothing was done, and no server is away.
        case starting
        /// Lost captures are being put back first: try again in a moment.
        case restoring
        /// The connection broke before the answer arrived: the call may or may not have taken effect.
        case outcomeUnknown
        /// The call has taken effect, and too few replicas confirm it: it may be lost with the server. No server is away.
        case tooFewReplicas
        /// The server refused the command: configuration or a bug.
        case refused
        /// The answer does not have the promised form.
        case malformedReply
    }

    /// The kind of fault.
    package let code: Code
    /// Whose fault it is.
    package let server: Server
    /// What happened, without payloads or secrets.
    package let message: String
    /// Whether the server answered with a refusal: if it answers other calls, this one may still be refused.
    package let isRefusal: Bool

    /// Notes a fault.
    /// - Parameters:
    ///   - server: Whose fault it is.
    ///   - isRefusal: Whether the server answered with a refusal; by default for ``Code/refused`` only.
    package init(_ code: Code, _ message: String, of server: Server = .queue, isRefusal: Bool? = nil) {
        self.code = code
        self.server = server
        self.message = message
        self.isRefusal = isRefusal ?? (code == .refused)
    }

    /// Whether the same call may succeed later.
    package var isTransient: Bool {
        [.unavailable, .busy, .starting, .restoring, .outcomeUnknown, .tooFewReplicas].contains(code)
    }

    /// Whether a key in Redis is not as the queue writes it: somebody has written over it by hand.
    package var isOfDamagedKey: Bool { message.hasPrefix("WRONGTYPE ") || message.hasPrefix("DAMAGED ") }

    /// The name of the damaged key, where the fault tells it.
    package var damagedKey: String? {
        let words = message.split(separator: " ", maxSplits: 2)
        return words.count > 1 && words[0] == "DAMAGED" ? String(words[1]) : nil
    }

    /// Server, kind and message, safe for logs.
    package var description: String { "\(server) \(code): \(message)" }

    /// By kind.
    package static func == (left: QueueError, right: QueueError) -> Bool { left.code == right.code }
}
