import CaptureModel
import CaptureQueue
import HTML
import Testing

@testable import CaptureGateway

@Suite struct `The overview of the dashboard` {
    private static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

    private static func load(captures: Int, bytes: Int, fill: Double? = nil, delayedLanes: Int = 0) -> QueueLoad {
        QueueLoad(
            captures: captures, bytes: bytes, deadLetters: 0, readyLanes: 1, delayedLanes: delayedLanes, leasedLanes: 2,
            capturesMax: 1000, bytesMax: 1000, fill: fill)
    }

    private static func text(
        _ load: QueueLoad, workers: [WorkerStatus] = [], day: Tally? = nil, countedSince since: Timestamp? = nil
    ) -> String {
        let nothing = Tally(start: start, duration: .zero)
        let overview = QueueOverview(
            load: load, workers: workers, lastMinute: nothing, lastHour: nothing, lastDay: day ?? nothing,
            countedSince: since)
        let user = DashboardUser(name: "alice", isOperator: false, token: .hash([1]), formToken: "")
        return OverviewPage(overview: overview, minutes: [], hours: []).markup(Shell(user: user, now: start)).text
    }

    /// The limits are 1,000 captures and 1,000 bytes; the last ones are of a queue with partitions.
    private static let fills: [(QueueLoad, String, String)] = [
        (load(captures: 8, bytes: 800), "", ""), (load(captures: 8, bytes: 956), "warn", "95 % full"),
        (load(captures: 801, bytes: 8), "warn", "80 % full"), (load(captures: 8, bytes: 1000), "bad", "100 % full"),
        (load(captures: 8, bytes: 8, fill: 0.996), "warn", "99 % full"),
        (load(captures: 8, bytes: 8, fill: 1.2), "bad", "100 % full"),
    ]

    @Test(arguments: fills)
    func `the overview warns of a queue that fills, by captures, by bytes or in one partition`(
        load: QueueLoad, mood: String, words: String
    ) throws {
        let page = Self.text(load)
        let pattern = /<div class="tile ([a-z]*)"><dt><a[^>]*>Waiting<.a><.dt>(.*?)<.dd>/
        let tile = try #require(page.firstMatch(of: pattern))
        #expect(tile.1 == mood)
        #expect(words.isEmpty ? !tile.2.contains("full") : tile.2.contains(", \(words)<"))
    }

    /// Otherwise one device that is put off looks like workers that do nothing.
    @Test(arguments: [(0, "good"), (3, "warn")])
    func `the overview warns of lanes that are put off, and leads to their captures`(count: Int, mood: String) {
        let title = #"<dt><a href="/dashboard/captures?state=retrying">Lanes put off</a></dt>"#
        let number = "<dd><strong>\(count)</strong><small>1 ready, 2 in hand</small></dd>"
        let page = Self.text(Self.load(captures: 8, bytes: 8, delayedLanes: count))
        #expect(page.contains("<div class=\"tile \(mood)\">\(title)\(number)"))
    }

    /// By the seconds since their last signs of life.
    ///
    /// The number alone says it by its colour only.
    @Test(arguments: [([], true), ([16, 60], true), ([1, 60], false)] as [([Int], Bool)])
    func `the overview says at its top, and aloud, that no worker is alive`(silences: [Int], isTold: Bool) throws {
        let workers = silences.map { seconds in
            WorkerStatus(name: "w", version: "1", startedAt: Self.start, silence: .seconds(seconds), leasedLanes: 0)
        }
        let page = Self.text(Self.load(captures: 0, bytes: 0), workers: workers)
        let pattern = /<div role="status"><div id="workers-live" class="live-part">(.*?)<.div><.div>/
        let part = try #require(page.firstMatch(of: pattern)).1
        let words = #"<p class="notice warn">No worker is alive: nothing is verified until one is.</p>"#
        #expect(String(part) == (isTold ? words : ""))
    }

    /// What waits is queued, in hand or put off: a list of one state may be empty while the tile counts some.
    @Test func `tiles lead to what they count`() {
        let page = Self.text(Self.load(captures: 8, bytes: 8))
        #expect(page.contains(#"<dt><a href="/dashboard/captures">Waiting</a></dt>"#))
        #expect(page.contains(#"<dt><a href="/dashboard/dead">Dead letters</a></dt>"#))
    }

    @Test(
        arguments: [
            (0, 10_000, "0 %"), (4, 10_000, "< 0.1 %"), (10, 10_000, "0.1 %"), (9996, 10_000, "> 99.9 %"),
            (9990, 10_000, "99.9 %"), (10_000, 10_000, "100 %"), (1, 3, "33.3 %"), (0, 0, "0 %"),
        ] as [(Int, Int, String)])
    func `a share that is little is not told as nothing, nor nearly all as all`(count: Int, total: Int, text: String) {
        #expect(Wording.share(count, of: total) == text)
    }

    /// Of three of the same name nobody hears which is which.
    @Test func `each table of numbers and each region has a name of its own`() {
        let page = Self.text(Self.load(captures: 0, bytes: 0))
        let numbers = page.matches(of: /<summary>Numbers<span class="hidden"> of ([^<]*)<.span><.summary>/)
        #expect(numbers.count == 3 && Set(numbers.map { String($0.1) }).count == 3)
        let headings = Set(page.matches(of: /<h2 id="[^"]*">([^<]*)</).map { String($0.1) })
        let regions = page.matches(of: /role="region" aria-label="([^"]*)"/).map { String($0.1) }
        #expect(!regions.isEmpty && headings.isDisjoint(with: regions))
    }

    /// After a loss the day's numbers are those of a few minutes.
    @Test func `since when the numbers count is told where Redis lost its data within the day`() {
        let load = Self.load(captures: 0, bytes: 0)
        let told = Self.text(load, countedSince: Self.start)
        #expect(told.contains("These numbers count from <time datetime=\"\(Self.start.rfc3339)\""), "\(told)")
        #expect(!Self.text(load).contains("These numbers count from"))
    }

    @Test func `verdicts have shares that are not rounded to nothing or all`() {
        var day = Tally(start: Self.start, duration: .seconds(86_400))
        day.verified = 9996
        day.failed = 4
        day.reasons = [.bundleMissing: 4]
        let page = Self.text(Self.load(captures: 0, bytes: 0), day: day)
        #expect(page.matches(of: /<td class="number">&lt; 0.1 %<.td>/).count == 2)
        #expect(page.contains(#"<td class="number">&gt; 99.9 %</td>"#))
        // One capture may have been given up four times.
        #expect(page.contains(#"<th scope="col" class="number">Times</th>"#))
        #expect(page.contains("given up again after a redrive counts each time"))
    }

    @Test func `each reason stands below the state that it belongs to`() throws {
        var day = Tally(start: Self.start, duration: .seconds(86_400))
        (day.verified, day.rejected, day.failed) = (2, 5, 3)
        day.reasons = [.bundleMissing: 1, .counterReplay: 1, .attemptsExhausted: 2, .signatureInvalid: 4]
        let page = Self.text(Self.load(captures: 0, bytes: 0), day: day)
        let table = try #require(page.firstMatch(of: /id="verdicts"[\s\S]*?<.table>/)).0
        let rows = table.matches(of: /class="state ([a-z]+)"|reason=([A-Z_]+)/).map { String($0.1 ?? $0.2 ?? "") }
        let (rejections, deaths) = (["SIGNATURE_INVALID", "COUNTER_REPLAY"], ["ATTEMPTS_EXHAUSTED", "BUNDLE_MISSING"])
        let expected = [["verified", "rejected"], rejections, ["failed"], deaths].flatMap { $0 }
        #expect(rows == expected)
    }
}
