import RedisCaptureQueue

extension QueueFault {
    /// The check that it belongs to.
    var check: String {
        switch self {
        case .keyOfWrongType, .keyWithEnd, .keyBeyondPartitions: DoctorReport.keys
        case .laneWithoutToken, .laneWithTokens, .tokenWithoutLane, .tokenOutOfReach, .tokenWithoutDevice:
            DoctorReport.tokens
        case .laneOfOtherPartition, .laneEntryWithoutJob, .laneEntryExtra, .laneEntryOfOtherPartition,
            .laneEntryWithoutCapture, .jobWithoutLane, .jobUnreadable, .keptWithEnd, .settledInLane, .settledWithoutEnd:
            DoctorReport.jobs
        case .jobWithoutBytes, .bytesWithoutJob, .settledWithBytes: DoctorReport.bytes
        case .deadLetterWithoutJob, .deadLetterWithoutTime, .deadLetterOfOtherPartition, .deadEntryWithoutCapture,
            .deadLetterNotListed, .deadLetterInLane, .settledAmongDead:
            DoctorReport.dead
        case .bundleNotKnown, .bundleKnownAsOther, .bundleOfNothing: DoctorReport.bundles
        case .levelWrong, .headWrong, .headWithoutDevice: DoctorReport.levels
        }
    }

    /// What it means.
    var meaning: String {
        switch self {
        case .keyOfWrongType: "somebody has written over these keys by hand, and what needs them is refused"
        case .keyWithEnd: "lanes, or keys that a partition has one of, will expire, and what is in them is lost then"
        case .keyBeyondPartitions:
            "captures lie in partitions that the queue had and does not have now: no program looks there"
        case .laneWithoutToken: "captures of these devices wait and no worker will ever come by"
        case .laneWithTokens: "two workers could work one device's captures side by side; the record still decides"
        case .tokenWithoutLane: "a worker will be handed an empty lane; harmless, and gone then"
        case .tokenOutOfReach: "a consumer was deleted with what it held: no worker will ever be handed these tokens"
        case .tokenWithoutDevice: "an entry of the stream of tokens stands for no lane"
        case .laneOfOtherPartition:
            "these devices belong to another partition: a worker would not find their bytes (BUNDLE_MISSING), or settle "
                + "later captures of theirs first (COUNTER_STALE)"
        case .laneEntryWithoutJob: "a capture is queued of which nothing else is known"
        case .laneEntryExtra:
            "captures are more than once in their lane, or also in another device's: they would be worked there again"
        case .laneEntryOfOtherPartition:
            "captures are in a lane of another partition than their own: a lane that has one at its head is not worked"
        case .laneEntryWithoutCapture: "lanes have entries that are no captures; a worker that comes to one removes it"
        case .jobWithoutLane: "captures wait outside of their lanes: no worker will ever see them"
        case .jobWithoutBytes: "photo or depth map of accepted captures are gone: they end as BUNDLE_MISSING"
        case .jobUnreadable: "a job has an unknown state, or its key is not a hash"
        case .keptWithEnd: "job, bytes or known bundle of an accepted capture will expire before it is settled"
        case .bytesWithoutJob: "bytes without a capture take up memory for ever"
        case .settledInLane: "a settled capture would be worked again; the record would answer with its result"
        case .settledAmongDead: "a settled capture is listed as given up"
        case .settledWithBytes: "bytes of settled captures take up memory"
        case .settledWithoutEnd: "statuses of settled captures take up memory for ever, or for far too long"
        case .deadLetterWithoutJob: "dead letters are listed of which nothing else is known"
        case .deadLetterWithoutTime: "dead letters are listed out of order, by what is no time"
        case .deadLetterOfOtherPartition:
            "their devices belong to another partition: a worker would not find their bytes after a redrive"
        case .deadEntryWithoutCapture:
            "the list of dead letters has members that are no captures, and takes longer to read"
        case .deadLetterNotListed: "captures that were given up are in no list: nobody would ever decide about them"
        case .deadLetterInLane: "captures are listed as given up and queued at once"
        case .bundleNotKnown: "the same bundle sent again would be taken for a new capture"
        case .bundleKnownAsOther: "two captures were accepted of one bundle: the later one ends as COUNTER_REPLAY"
        case .bundleOfNothing: "a bundle sent again would be answered with a capture that does not exist"
        case .levelWrong: "the queue counts itself fuller or emptier than it is, and refuses or accepts by that"
        case .headWrong: "how long the captures of these devices wait is told too short or too long"
        case .headWithoutDevice:
            "the list of what waits has members that are no devices: the queue is told to be as old as the oldest of them"
        }
    }

    /// What a phone can do if bytes are lost.
    ///
    /// While a capture waits, the queue takes its bundle's bytes only if the ledger has restored it.
    static let resend = """
        the same bundle sent again brings them back, and the capture with them, once it is a dead letter \
        (BUNDLE_MISSING), or at once where the ledger has put it back; of one that was discarded it makes another capture
        """

    /// What to do where the number of partitions was changed before the queue was empty.
    private static let goBack = "stop gateways and workers at once; RUNBOOKS.md, \"Changed too early\""

    /// What `--fix` does about it, or what has to be done instead.
    var repair: String {
        switch self {
        case .keyOfWrongType:
            "rename these keys (RENAME); --fix then puts back what can be made again, and before that it repairs nothing "
                + "of a partition whose captures all need the key"
        case .keyWithEnd: "--fix takes the expiry off"
        case .keyBeyondPartitions, .laneOfOtherPartition, .deadLetterOfOtherPartition: Self.goBack
        case .laneWithoutToken: "--fix gives them a token"
        case .laneWithTokens: "--fix leaves one token, that of the worker that has the lane"
        case .tokenWithoutLane, .tokenWithoutDevice: "--fix removes it"
        case .tokenOutOfReach: "--fix replaces them"
        case .laneEntryWithoutJob:
            "--fix makes a dead letter of it; redrive that at once: behind later captures of its device it is "
                + "COUNTER_STALE, unless capture.counterPolicy is a window"
        case .laneEntryExtra: "--fix takes out the entries that are too many"
        case .laneEntryOfOtherPartition:
            "--fix takes them out; one that waits in no lane of its own partition is put back there, as JOB_WITHOUT_LANE"
        case .laneEntryWithoutCapture: "--fix takes all of them out of the lane"
        case .jobWithoutLane: "--fix puts them at the end of their lanes, marked as redriven"
        case .jobWithoutBytes:
            "nothing here has them; \(Self.resend)"
        case .jobUnreadable:
            "look at the key by hand; once one of another type is deleted, --fix does what it does about a missing job"
        case .keptWithEnd: "--fix takes the expiry off"
        case .bytesWithoutJob: "--fix lets them expire after --orphan-age"
        case .settledInLane, .settledAmongDead: "--fix takes it off"
        case .settledWithBytes: "--fix removes them"
        case .settledWithoutEnd: "--fix lets them expire after queue.statusRetention"
        case .deadLetterWithoutJob: "--fix takes those off the list that are older than --orphan-age"
        case .deadLetterWithoutTime: "--fix lists them by the time at which they were given up"
        case .deadEntryWithoutCapture: "--fix takes all of them off the list"
        case .deadLetterNotListed: "--fix lists them"
        case .deadLetterInLane: "--fix takes them off the list"
        case .bundleNotKnown: "--fix notes the bundle"
        case .bundleKnownAsOther: "nothing; both stay until they are settled"
        case .bundleOfNothing: "--fix forgets the bundle; one whose capture has a result after queue.acceptedRetention"
        case .levelWrong: "--fix counts again, if no capture comes or goes meanwhile; `capturectl pause` helps"
        case .headWrong: "--fix notes it anew; so does the next worker that gives their lane back"
        case .headWithoutDevice: "--fix takes all of them off the list"
        }
    }
}
