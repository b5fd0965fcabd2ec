/// A fault that the doctor finds in a queue, named as in the functions in Redis.
package enum QueueFault: String, Sendable, CaseIterable, Comparable {
    /// A key is of another type than the queue's: whatever reads it is refused.
    case keyOfWrongType = "KEY_OF_WRONG_TYPE"
    /// A lane, or a key that a partition has only one of, has an expiry.
    case keyWithEnd = "KEY_WITH_END"
    /// A capture's key, or what a partition has one of, is in a partition that the queue does not have, and stays.
    case keyBeyondPartitions = "KEY_BEYOND_PARTITIONS"
    /// Captures wait in a lane without a token: no worker will ever claim it.
    case laneWithoutToken = "LANE_WITHOUT_TOKEN"
    /// Two workers could work one lane side by side.
    case laneWithTokens = "LANE_WITH_TOKENS"
    /// A token stands for a lane without captures.
    case tokenWithoutLane = "TOKEN_WITHOUT_LANE"
    /// A token was delivered and is not pending.
    case tokenOutOfReach = "TOKEN_OUT_OF_REACH"
    /// An entry of the stream names no device, or is gone and still pending.
    case tokenWithoutDevice = "TOKEN_WITHOUT_DEVICE"
    /// A lane is in a partition that its device does not belong to.
    case laneOfOtherPartition = "LANE_OF_OTHER_PARTITION"
    /// A lane holds a capture without a job.
    case laneEntryWithoutJob = "LANE_ENTRY_WITHOUT_JOB"
    /// A capture is more than once in its lane, or in the lane of another device.
    case laneEntryExtra = "LANE_ENTRY_EXTRA"
    /// A lane holds a capture that another partition knows, and of which its own has nothing else.
    case laneEntryOfOtherPartition = "LANE_ENTRY_OF_OTHER_PARTITION"
    /// Entries of a lane are no ids of captures.
    case laneEntryWithoutCapture = "LANE_ENTRY_WITHOUT_CAPTURE"
    /// A capture waits and is in no lane.
    case jobWithoutLane = "JOB_WITHOUT_LANE"
    /// A capture's job is there but its bytes are missing.
    case jobWithoutBytes = "JOB_WITHOUT_BYTES"
    /// A job has no valid state.
    case jobUnreadable = "JOB_UNREADABLE"
    /// A key of a capture that must be kept has an expiry.
    case keptWithEnd = "KEPT_WITH_END"
    /// Bytes without a job that never expire.
    case bytesWithoutJob = "BYTES_WITHOUT_JOB"
    /// A settled capture is still in its lane.
    case settledInLane = "SETTLED_IN_LANE"
    /// A settled capture is among the dead letters.
    case settledAmongDead = "SETTLED_AMONG_DEAD"
    /// A settled capture's bytes are still here.
    case settledWithBytes = "SETTLED_WITH_BYTES"
    /// A settled capture's status never expires, or far later than after `queue.statusRetention`.
    case settledWithoutEnd = "SETTLED_WITHOUT_END"
    /// A dead letter without a job.
    case deadLetterWithoutJob = "DEAD_LETTER_WITHOUT_JOB"
    /// A dead letter is listed by a score that is no time, so that it has no place of its own.
    case deadLetterWithoutTime = "DEAD_LETTER_WITHOUT_TIME"
    /// A dead letter is in a partition that its device does not belong to.
    case deadLetterOfOtherPartition = "DEAD_LETTER_OF_OTHER_PARTITION"
    /// Members of the list of dead letters are no ids of captures.
    case deadEntryWithoutCapture = "DEAD_ENTRY_WITHOUT_CAPTURE"
    /// A capture that was given up is not listed.
    case deadLetterNotListed = "DEAD_LETTER_NOT_LISTED"
    /// A capture is a dead letter and in its lane.
    case deadLetterInLane = "DEAD_LETTER_IN_LANE"
    /// The bundle of a capture that is kept is not known.
    case bundleNotKnown = "BUNDLE_NOT_KNOWN"
    /// The bundle of a capture that is kept is known as another capture.
    case bundleKnownAsOther = "BUNDLE_KNOWN_AS_OTHER"
    /// A known bundle leads to an unknown capture.
    case bundleOfNothing = "BUNDLE_OF_NOTHING"
    /// A level counter differs from the counted value.
    case levelWrong = "LEVEL_WRONG"
    /// The time since which the head of a lane waits is missing or wrong.
    case headWrong = "HEAD_WRONG"
    /// Members of the list of lanes, by the time since which each waits, are no ids of devices.
    case headWithoutDevice = "HEAD_WITHOUT_DEVICE"

    /// In the order of the cases.
    package static func < (left: QueueFault, right: QueueFault) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

extension QueueFault {
    /// The kind of thing that has the fault; decides which function mends it, and the order in which that is done.
    enum Kind: CaseIterable {
        case end, token, bundle, member, entry, strayEntry, capture, head, lane
        // These are not mended page by page.
        case key, place, level
    }

    var kind: Kind {
        switch self {
        case .keyOfWrongType: .key
        case .keyWithEnd: .end
        case .keyBeyondPartitions, .laneOfOtherPartition, .deadLetterOfOtherPartition: .place
        case .laneWithoutToken, .laneWithTokens, .tokenWithoutLane, .tokenOutOfReach: .lane
        case .tokenWithoutDevice: .token
        case .laneEntryWithoutCapture: .entry
        case .laneEntryOfOtherPartition: .strayEntry
        case .deadEntryWithoutCapture, .headWithoutDevice: .member
        case .bundleOfNothing: .bundle
        case .levelWrong: .level
        case .headWrong: .head
        case .laneEntryWithoutJob, .laneEntryExtra, .jobWithoutLane, .jobWithoutBytes, .jobUnreadable, .keptWithEnd,
            .bytesWithoutJob, .settledInLane, .settledAmongDead, .settledWithBytes, .settledWithoutEnd,
            .deadLetterWithoutJob, .deadLetterWithoutTime, .deadLetterNotListed, .deadLetterInLane, .bundleNotKnown,
            .bundleKnownAsOther:
            .capture
        }
    }

    /// Whether the queue has a function that mends it.
    package var canBeMended: Bool {
        switch self {
        case .keyOfWrongType, .jobWithoutBytes, .jobUnreadable, .bundleKnownAsOther: false
        // Whether going back to the number that the queue had loses nothing depends on what was settled since.
        case .keyBeyondPartitions, .laneOfOtherPartition, .deadLetterOfOtherPartition: false
        default: true
        }
    }
}

/// One fault and its subject.
package struct QueueFinding: Sendable, Hashable {
    /// What is wrong.
    package let fault: QueueFault
    /// A device for lanes and tokens, a capture, a bundle's digest, a key, a key with one of its foreign members, or a
    /// counter with its values.
    package let subject: String
    let partition: Int
    /// What the mending function needs besides the subject.
    let hint: String

    /// The part of a finding by which two are equal.
    struct Identity: Hashable {
        let fault: QueueFault
        let subject: String
        let partition: Int
    }

    var identity: Identity { Identity(fault: fault, subject: subject, partition: partition) }

    init(_ fault: QueueFault, _ subject: String, partition: Int, hint: String = "") {
        self.fault = fault
        self.subject = subject
        self.partition = partition
        self.hint = hint
    }
}
