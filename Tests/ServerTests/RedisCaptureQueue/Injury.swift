import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import Testing

/// One way to break a queue by hand, and what the doctor has to say to it.
struct Injury: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Exactly these.
    let faults: Set<QueueFault>
    /// What stays after mending.
    var incurable: Set<QueueFault> = []
    let inflict: @Sendable (QueueWard) async throws -> Void

    init(
        _ description: String, _ faults: Set<QueueFault>, incurable: Set<QueueFault> = [],
        _ inflict: @escaping @Sendable (QueueWard) async throws -> Void
    ) {
        testDescription = description
        self.faults = faults
        self.incurable = incurable
        self.inflict = inflict
    }

    static let all = tokens + captures + laneBytes + ends + kept + dead + bundles + heads

    private static let tokens = [
        Injury("the stream is deleted", [.laneWithoutToken]) { try await $0.redis("DEL", .string($0.keys.ready)) },
        Injury("a lane has a second token", [.laneWithTokens]) {
            try await $0.redis("XADD", .string($0.keys.ready), "*", "device", .string("\($0.waiting[0].device)"))
        },
        Injury("a lane that is held has a second token", [.laneWithTokens]) {
            try await $0.redis("XADD", .string($0.keys.ready), "*", "device", .string("\($0.held[0].device)"))
        },
        Injury("a lane with a token is put off as well", [.laneWithTokens]) {
            try await $0.redis("ZADD", .string($0.keys.delayed), 1, .string("\($0.waiting[0].device)"))
        },
        Injury("a token without a lane", [.tokenWithoutLane]) {
            try await $0.redis("XADD", .string($0.keys.ready), "*", "device", .string("\($0.strangers.device)"))
        },
        Injury("a delay without a lane", [.tokenWithoutLane]) {
            try await $0.redis("ZADD", .string($0.keys.delayed), 1, .string("\($0.strangers.device)"))
        },
        Injury("a consumer is deleted with what it holds", [.tokenOutOfReach, .laneWithoutToken]) {
            try await $0.redis("XGROUP", "DELCONSUMER", .string($0.keys.ready), "workers", "holder")
        },
        Injury("an entry of the stream names no device", [.tokenWithoutDevice]) {
            try await $0.redis("XADD", .string($0.keys.ready), "*", "what", "ever")
        },
        Injury("a token is deleted while it is held", [.tokenWithoutDevice, .laneWithoutToken]) {
            try await $0.redis("XDEL", .string($0.keys.ready), .string(try await $0.token(of: $0.held[0].device)))
        },
        Injury("a delay is deleted", [.laneWithoutToken]) {
            try await $0.redis("ZREM", .string($0.keys.delayed), .string("\($0.delayed.device)"))
        },
    ]

    private static let captures = [
        Injury("a job is deleted", [.laneEntryWithoutJob, .bundleOfNothing, .levelWrong]) {
            try await $0.redis("DEL", .string($0.keys.job($0.waiting[1].id)))
        },
        Injury("a capture falls out of its lane", [.jobWithoutLane, .levelWrong]) {
            try await $0.redis("LREM", .string($0.keys.lane($0.waiting[1].device)), 0, .string("\($0.waiting[1].id)"))
        },
        Injury("a capture is in its lane twice", [.laneEntryExtra]) {
            try await $0.redis("RPUSH", .string($0.keys.lane($0.waiting[1].device)), .string("\($0.waiting[1].id)"))
        },
        Injury("a capture is in another device's lane as well", [.laneEntryExtra]) {
            try await $0.redis("RPUSH", .string($0.keys.lane($0.delayed.device)), .string("\($0.waiting[1].id)"))
        },
        Injury("a settled capture is in another device's lane", [.laneEntryExtra]) {
            try await $0.redis("RPUSH", .string($0.keys.lane($0.held[0].device)), .string("\($0.settled.id)"))
        },
        Injury("a lane has entries that are no captures", [.laneEntryWithoutCapture]) {
            let other = $0.waiting[1].id.description.uppercased()
            try await $0.redis("RPUSH", .string($0.keys.lane($0.waiting[1].device)), "junk", .string(other))
        },
        Injury("a lane is deleted", [.jobWithoutLane, .tokenWithoutLane, .levelWrong, .headWrong]) {
            try await $0.redis("DEL", .string($0.keys.lane($0.waiting[1].device)))
        },
        Injury("a state is none", [.jobUnreadable, .levelWrong], incurable: [.jobUnreadable]) {
            try await $0.redis("HSET", .string($0.keys.job($0.waiting[1].id)), "state", "odd")
        },
        Injury("a photo is deleted", [.jobWithoutBytes], incurable: [.jobWithoutBytes]) {
            try await $0.redis("DEL", .string($0.keys.photo($0.waiting[1].id)))
        },
        Injury("bytes without a job", [.bytesWithoutJob]) {
            try await $0.redis("SET", .string($0.keys.depth($0.strangers.capture)), "bytes")
        },
        Injury("a settled capture is queued again", [.settledInLane, .laneWithoutToken]) {
            try await $0.redis("RPUSH", .string($0.keys.lane($0.settled.device)), .string("\($0.settled.id)"))
        },
        Injury("a settled capture keeps its bytes", [.settledWithBytes]) {
            try await $0.redis("SET", .string($0.keys.photo($0.settled.id)), "bytes")
        },
        Injury("the counters are wrong", [.levelWrong]) {
            try await $0.redis("HINCRBY", .string($0.keys.stats), "queued", 99)
        },
        Injury("the counted bytes are wrong", [.levelWrong]) {
            try await $0.redis("HINCRBY", .string($0.keys.stats), "dead_bytes", -1)
        },
    ]

    private static let laneBytes = [
        Injury("a lane is counted as larger than it is", [.levelWrong]) {
            try await $0.redis("HINCRBY", .string($0.keys.laneBytes), .string("\($0.held[0].device)"), 7)
        },
        Injury("a lane's bytes are not counted", [.levelWrong]) {
            try await $0.redis("HDEL", .string($0.keys.laneBytes), .string("\($0.waiting[0].device)"))
        },
        Injury("what is counted of a lane is no number", [.levelWrong]) {
            try await $0.redis("HSET", .string($0.keys.laneBytes), .string("\($0.delayed.device)"), "odd")
        },
        Injury("bytes are counted of a lane that is not there", [.levelWrong]) {
            try await $0.redis("HSET", .string($0.keys.laneBytes), .string("\($0.strangers.device)"), 9)
        },
    ]

    private static let ends = [
        Injury("a waiting job expires", [.keptWithEnd]) {
            try await $0.redis("EXPIRE", .string($0.keys.job($0.waiting[1].id)), 600)
        },
        Injury("a dead letter's bytes expire", [.keptWithEnd]) {
            try await $0.redis("EXPIRE", .string($0.keys.photo($0.dead.id)), 600)
        },
        Injury("a known bundle expires too soon", [.keptWithEnd]) {
            try await $0.redis("EXPIRE", .string($0.keys.accepted($0.held[0].bundleDigest)), 600)
        },
        Injury("a settled capture's status stays for ever", [.settledWithoutEnd]) {
            try await $0.redis("PERSIST", .string($0.keys.settled($0.settled.id)))
        },
        Injury("a settled capture's status stays for years", [.settledWithoutEnd]) {
            try await $0.redis("PEXPIRE", .string($0.keys.settled($0.settled.id)), 99_999_999_999)
        },
    ]

    /// Lanes, and what a partition has only one of, whether it is there already or not.
    private static let kept: [Injury] =
        ["ready", "delayed", "heads", "lane_bytes", "dead", "stats", "limits", "workers", "restored"].map {
            name in
            Injury("the partition's \(name) expires", [.keyWithEnd]) { ward in
                let key = RedisArgument.string("{\(ward.fixture.keyspace.queue):0}:\(name)")
                switch name {
                case "limits", "workers": try await ward.redis("HSETNX", key, "nothing", 1)
                case "restored": try await ward.redis("SETNX", key, 1)
                default: break
                }
                try await ward.redis("EXPIRE", key, 600)
            }
        } + [
            Injury("a lane expires", [.keyWithEnd]) {
                try await $0.redis("EXPIRE", .string($0.keys.lane($0.waiting[1].device)), 600)
            }
        ]

    private static let dead = [
        Injury("a dead letter without a job", [.deadLetterWithoutJob]) {
            try await $0.redis("ZADD", .string($0.keys.dead), 1, .string("\($0.strangers.capture)"))
        },
        Injury("a dead letter's time is beyond all times", [.deadLetterWithoutTime]) {
            try await $0.redis("ZADD", .string($0.keys.dead), "1e300", .string("\($0.dead.id)"))
        },
        Injury("a dead letter's time has a fraction", [.deadLetterWithoutTime]) {
            try await $0.redis("ZADD", .string($0.keys.dead), "1000.5", .string("\($0.dead.id)"))
        },
        Injury("a dead letter without a job never becomes old", [.deadLetterWithoutJob, .deadLetterWithoutTime]) {
            try await $0.redis("ZADD", .string($0.keys.dead), "inf", .string("\($0.strangers.capture)"))
        },
        Injury("the list of dead letters has members that are no captures", [.deadEntryWithoutCapture]) {
            let other = $0.dead.id.description.uppercased()
            try await $0.redis(
                "ZADD", .string($0.keys.dead), 1, "junk\0", 2, .bytes([0xFF, 0xFE]), 3, .string(other))
        },
        Injury("a dead letter is in no list", [.deadLetterNotListed]) {
            try await $0.redis("ZREM", .string($0.keys.dead), .string("\($0.dead.id)"))
        },
        Injury("a dead letter is queued as well", [.deadLetterInLane, .laneWithoutToken, .levelWrong, .headWrong]) {
            try await $0.redis("RPUSH", .string($0.keys.lane($0.dead.device)), .string("\($0.dead.id)"))
        },
        Injury("a waiting capture is listed as dead", [.deadLetterInLane]) {
            try await $0.redis("ZADD", .string($0.keys.dead), 1, .string("\($0.waiting[2].id)"))
        },
        Injury("a settled capture is listed as dead", [.settledAmongDead]) {
            try await $0.redis("ZADD", .string($0.keys.dead), 1, .string("\($0.settled.id)"))
        },
    ]

    private static let heads = [
        Injury("it is not noted since when a lane waits", [.headWrong]) {
            try await $0.redis("ZREM", .string($0.keys.heads), .string("\($0.waiting[0].device)"))
        },
        Injury("a lane that is put off is noted as older than it is", [.headWrong]) {
            try await $0.redis("ZADD", .string($0.keys.heads), 1, .string("\($0.delayed.device)"))
        },
        Injury("a lane is noted that is not there", [.headWrong]) {
            try await $0.redis("ZADD", .string($0.keys.heads), 1, .string("\($0.strangers.device)"))
        },
        Injury("what is noted of lanes has members that are no devices", [.headWithoutDevice]) {
            let other = $0.waiting[0].device.description.uppercased()
            try await $0.redis("ZADD", .string($0.keys.heads), 5, "junk", 6, .string(other))
        },
    ]

    private static let bundles = [
        Injury("a bundle is forgotten", [.bundleNotKnown]) {
            try await $0.redis("DEL", .string($0.keys.accepted($0.waiting[0].bundleDigest)))
        },
        Injury("a bundle leads to another capture", [.bundleKnownAsOther], incurable: [.bundleKnownAsOther]) {
            let key = $0.keys.accepted($0.waiting[0].bundleDigest)
            try await $0.redis("SET", .string(key), .string("\($0.waiting[1].id)"))
        },
        Injury("a bundle leads nowhere", [.bundleOfNothing]) {
            let key = $0.keys.accepted($0.strangers.digest)
            try await $0.redis("SET", .string(key), .string("\($0.strangers.capture)"))
        },
    ]
}
