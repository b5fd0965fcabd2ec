package import CaptureModel
package import CaptureQueue

/// Dead letters counted by reason and fault.
package struct DeadLetterGroups: Sendable {
    /// The figures of the letters with one reason and fault.
    package struct Group: Sendable {
        /// Why they were given up.
        package let reason: Reason?
        /// The fault, in words that are safe to show.
        package let fault: String
        /// The number of letters.
        package private(set) var captures = 0
        /// The bytes of their photos and depth maps that still exist.
        package private(set) var bytes = 0
        /// When the first of them was given up.
        package private(set) var oldest: Timestamp
        /// When the last of them was given up.
        package private(set) var newest: Timestamp
        private var deviceIDs: Set<DeviceID> = []

        /// The number of devices they come from.
        package var devices: Int { deviceIDs.count }

        fileprivate init(_ cause: Cause, at moment: Timestamp) {
            (reason, fault) = (cause.reason, cause.fault)
            (oldest, newest) = (moment, moment)
        }

        fileprivate mutating func add(_ letter: DeadLetter) {
            captures += 1
            if !letter.bytes.areMissing { bytes += letter.size ?? 0 }
            oldest = min(oldest, letter.diedAt)
            newest = max(newest, letter.diedAt)
            deviceIDs.insert(letter.status.device)
        }
    }

    /// The key of a group.
    ///
    /// By the bytes of the fault: anybody may have written it who may write to Redis, and to hash or compare combining
    /// marks as text takes the square of their length.
    struct Cause: Hashable {
        let reason: Reason?
        private let faultBytes: [UInt8]

        /// The fault as text.
        var fault: String { String(decoding: faultBytes, as: UTF8.self) }

        init(of letter: DeadLetter) {
            (reason, faultBytes) = (letter.status.reason, Array((letter.status.fault ?? "").utf8))
        }

        init(of group: Group) {
            (reason, faultBytes) = (group.reason, Array(group.fault.utf8))
        }
    }

    private var groups: [Cause: Group] = [:]

    /// Counts nothing yet.
    package init() {}

    /// Counts letters.
    package mutating func add(_ letters: some Sequence<DeadLetter>) {
        for letter in letters {
            let cause = Cause(of: letter)
            groups[cause, default: Group(cause, at: letter.diedAt)].add(letter)
        }
    }

    /// Whether no letter was counted.
    package var isEmpty: Bool { groups.isEmpty }

    /// The largest first.
    package var sorted: [Group] {
        groups.values.sorted { one, other in
            guard one.captures == other.captures else { return one.captures > other.captures }
            guard one.reason == other.reason else { return one.reason?.rawValue ?? "" < other.reason?.rawValue ?? "" }
            return one.fault.utf8.lexicographicallyPrecedes(other.fault.utf8)
        }
    }
}
