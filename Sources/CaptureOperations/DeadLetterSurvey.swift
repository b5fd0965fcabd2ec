public import CaptureModel
public import CaptureQueue

/// Dead letters grouped by what they died of.
public struct DeadLetterSurvey: Sendable {
    /// How many letters one survey looks at.
    public static let lettersMax = 2_000

    /// Letters of one reason and fault.
    public struct Group: Sendable {
        /// Why they were given up.
        public let reason: Reason?
        /// The fault, in words that are safe to show.
        public let fault: String
        /// The letters, oldest first.
        public fileprivate(set) var letters: [DeadLetter] = []

        /// Their bytes.
        public var bytes: Int { letters.reduce(0) { $0 + $1.photoBytes + $1.depthBytes } }
        /// Their devices.
        public var devices: Int { Set(letters.map(\.status.device)).count }
    }

    private struct Cause: Hashable {
        let reason: Reason?
        let fault: String
    }

    /// The largest first.
    public let groups: [Group]
    /// Whether there are more letters than were looked at.
    public let isPartial: Bool

    /// Looks at the oldest letters.
    public static func take(of queue: any CaptureQueue) async throws(QueueError) -> DeadLetterSurvey {
        var groups: [Cause: Group] = [:]
        var (looked, position): (Int, DeadLetter.Position?) = (0, nil)
        while looked < lettersMax {
            let letters = try await queue.deadLetters(after: position, limit: 1000)
            for letter in letters {
                let cause = Cause(reason: letter.status.reason, fault: letter.status.fault ?? "")
                groups[cause, default: Group(reason: cause.reason, fault: cause.fault)].letters.append(letter)
            }
            looked += letters.count
            position = letters.last?.position
            if letters.count < 1000 { return DeadLetterSurvey(Array(groups.values), isPartial: false) }
        }
        return DeadLetterSurvey(Array(groups.values), isPartial: true)
    }

    private init(_ groups: [Group], isPartial: Bool) {
        self.groups = groups.sorted {
            ($1.letters.count, $0.reason?.rawValue ?? "", $0.fault)
                < ($0.letters.count, $1.reason?.rawValue ?? "", $1.fault)
        }
        self.isPartial = isPartial
    }

    /// All letters that were looked at, oldest first.
    public var letters: [DeadLetter] { groups.flatMap(\.letters).sorted { $0.position < $1.position } }
}
