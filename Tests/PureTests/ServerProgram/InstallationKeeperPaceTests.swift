import Testing

@testable import ServerProgram

/// That each look replaces an older library is shown by `DurabilityWatchTests`.
@Suite("How often a program looks at its Redis", .timeLimit(.minutes(1)))
struct InstallationKeeperPaceTests {
    @Test func `a program looks every two seconds whether Redis has its library, as README promises`() {
        #expect(InstallationKeeper.pause == .seconds(2))
    }
}
