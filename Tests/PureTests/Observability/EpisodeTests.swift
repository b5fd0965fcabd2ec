import Observability
import Testing

@Suite("An episode")
struct EpisodeTests {
    private let start = ContinuousClock.now

    @Test func `an episode begins and ends once each, however often either is noted`() {
        var episode = Episode()
        #expect(!episode.isOn && !episode.end())
        #expect([episode.begin(), episode.begin()] == [true, false])
        #expect(episode.isOn)
        #expect([episode.end(), episode.end()] == [true, false])
        #expect(!episode.isOn && episode.begin())
    }

    @Test func `an episode is over only when it has not been noted for a while`() {
        var episode = Episode(calm: .seconds(10))
        #expect(episode.begin(at: start) && !episode.end(at: start + .seconds(9)))
        #expect(!episode.begin(at: start + .seconds(9)) && !episode.end(at: start + .seconds(18)), "it was noted again")
        #expect(episode.isOn && episode.end(at: start + .seconds(19)))
    }

    @Test func `an episode asks for the time only when there is something to end`() {
        var (episode, asked) = (Episode(), 0)
        func time() -> ContinuousClock.Instant {
            asked += 1
            return start
        }
        #expect(!episode.end(at: time()) && asked == 0)
        #expect(episode.begin(at: start) && episode.end(at: time()) && asked == 1)
    }

    @Test func `an episode that many tasks note begins and ends once`() async {
        let episode = SharedEpisode()
        let begins = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { episode.begin() } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let ends = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { episode.end() } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(begins == 1 && ends == 1)
    }
}
