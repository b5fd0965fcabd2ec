public import CaptureModel
public import CaptureQueue

/// Dead letters counted by what they died of.
public struct DeadLetterGroups: Sendable {
    /// What letters of one reason and fault have in common.
    public struct Group: Sendable {
        /// Why they were given up.
        public let reason: Reason?
        /// The fault, in words that are safe to show.
        public let fault: String
        /// How many they are.
        public private(set) var captures = 0
        /// The bytes of their photos and depth maps, without those that are gone.
        public private(set) var bytes = 0
        /// When the first of them was given up.
        public private(set) var oldest: Timestamp
        /// When the last of them was given up.
        public private(set) var newest: Timestamp
        private var deviceIDs: Set<DeviceID> = []

        /// Of how many devices they are.
        public var devices: Int { deviceIDs.count }

        fileprivate init(_ cause: Cause, at moment: Timestamp) {
            (reason, fault) = (cause.reason, cause.fault)
            (oldest, newest) = (moment, moment)
        }

        fileprivate mutating func add(_ letter: DeadLetter) {
            captures += 1
            if letter.bytes != .gone { bytes += letter.photoBytes + letter.depthBytes }
            oldest = min(oldest, letter.diedAt)
            newest = max(newest, letter.diedAt)
            deviceIDs.insert(letter.status.device)
        }
    }

    /// What tells groups apart.
    struct Cause: Hashable {
        let reason: Reason?
        let fault: String

        init(of letter: DeadLetter) {
            (reason, fault) = (letter.status.reason, letter.status.fault ?? "")
        }

        init(of group: Group) {
            (reason, fault) = (group.reason, group.fault)
        }
    }

    private var groups: [Cause: Group] = [:]

    /// Counts nothing yet.
    public init() {}

    /// Counts letters.
    public mutating func add(_ letters: some Sequence<DeadLetter>) {
        for letter in letters {
            let cause = Cause(of: letter)
            groups[cause, default: Group(cause, at: letter.diedAt)].add(letter)
        }
    }

    /// Whether no letter was counted.
    public var isEmpty: Bool { groups.isEmpty }

    /// The largest first.
    public var sorted: [Group] {
        groups.values.sorted {
            ($1.captures, $0.reason?.rawValue ?? "", $0.fault) < ($0.captures, $1.reason?.rawValue ?? "", $1.fault)
        }
    }
}
