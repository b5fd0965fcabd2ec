import CaptureQueue
import CaptureSettings
import RedisClient
import Testing

@testable import CaptureProcessing
@testable import RedisCaptureQueue

/// Neither language can read the other's: a number that is changed on one side alone shows nowhere else.
@Suite("Constants that the functions in Redis and their callers share")
struct LibraryConstantsTests {
    private static let lines = FunctionLibrary.current.source.split(separator: "\n")

    /// The text of a constant's value, which is the rest of its line, or a table to its end; empty unless there is one.
    private static func value(of name: String) -> String {
        let beginning = "local \(name) = "
        let places = lines.indices.filter { lines[$0].hasPrefix(beginning) }
        guard places.count == 1 else { return "" }
        let rest = lines[places[0]].dropFirst(beginning.count)
        return rest == "{" ? lines[places[0]...].prefix { $0 != "}" }.joined(separator: "\n") : String(rest)
    }

    private static func numbers(of name: String) -> [Int] {
        value(of: name).matches(of: /[0-9]+/).compactMap { Int($0.output) }
    }

    private static func words(of name: String) -> [String] {
        value(of: name).matches(of: /'([a-z_]+)'/).map { String($0.output.1) }
    }

    /// The most bytes that a setting takes.
    private static func bytesMax(_ setting: Setting) -> Int {
        if case .bytes(let range) = setting.kind { range.upperBound } else { 0 }
    }

    private static let limits = RedisQueueConfiguration()

    private static let sharedNumbers: [(String, [Int])] = [
        ("CHANGES_MAX", [StateChange.changesMax]),
        ("FEW_MAX", [SuspectGroup.capturesMax]),
        ("PENDING_MAX", [RedisCaptureQueue.pendingTokensMax]),
        ("DEAD_PAGE_MAX", [DeadLetterPage.lettersMax]),
        // By one byte more the reader knows that there was more.
        ("TOLD_BYTES_MAX", [RedisValue.shownBytesMax + 1]),
        ("DIED_AT_MAX", [LuaInteger.exactMax]),
        ("PARTITIONS_MAX", [Keyspace.partitionsRange.upperBound]),
        (
            "PART_BYTES_MAX",
            [bytesMax(.assertionBytesMax), bytesMax(.metadataBytesMax), BundleText.sizes.upperBound]
        ),
        ("LATENCY_BOUNDS", LatencyHistogram.bounds),
        ("TALLY_SPANS", Tally.Span.allCases.flatMap { [$0.duration.milliseconds, $0.countMax] }),
        ("CAPTURES_MAX_DEFAULT", [limits.capturesMax]),
        ("DEVICE_CAPTURES_MAX_DEFAULT", [limits.capturesPerDeviceMax]),
        ("BYTES_MAX_DEFAULT", [limits.bytesMax]),
        ("ACCEPTED_TTL_DEFAULT_MS", [limits.acceptedRetention.milliseconds]),
    ]

    @Test(arguments: sharedNumbers)
    func `a number of the functions is that of their callers`(name: String, expected: [Int]) {
        #expect(Self.numbers(of: name) == expected)
    }

    @Test func `as many requests are admitted as the functions take for a limit`() {
        #expect(Self.lines.contains { $0.contains("limit > \(RedisRateLimiter.limitMax) or ") })
    }

    private static let sharedWords: [(String, [String])] = [
        ("GROUP, WAITING_GROUP", [Keyspace.group, Keyspace.waitingGroup]),
        ("CLAIMED_FIELDS", JobFields.claimed),
        ("ACTIVITY", QueueDoctor.activityNames),
        ("TALLY_SPANS", Tally.Span.allCases.map { "\($0)" }),
    ]

    @Test(arguments: sharedWords)
    func `names of the functions are those of their callers, in their order`(name: String, expected: [String]) {
        #expect(Self.words(of: name) == expected)
    }

    @Test func `a dead letter's fields are those of its job, and then the words about its bytes`() {
        let expected = Self.words(of: "DEAD_FIELDS") + ["photo_bytes", "depth_bytes", "bundle_store"]
        #expect(JobFields.dead == expected)
    }

    @Test(arguments: Tally.Span.allCases)
    func `a span's key has the name that the functions give the span`(span: Tally.Span) {
        #expect(Keyspace.standard[0].tally(span, 7) == "{cq:0}:tally:\(span):7")
    }
}
