import CaptureGateway
import CaptureSettings
import GatewaySettings
import Testing
import Waiting
import WorkerSettings

@testable import CaptureProcessing

/// That each goes on after a fault at its next look is shown by the tests of each.
@Suite("How soon everything goes on, as README promises")
struct PromisedPacesTests {
    private static let minimum = SettingsTests.minimum

    @Test func `files are swept and receipts exchanged again within ten seconds`() async throws {
        let settings = try await Settings(arguments: [], environment: Self.minimum)
        let sweeper = OrphanSweeper.Configuration(age: settings.orphanAge, unknownAge: settings.unknownAge)
        #expect(sweeper.interval == .seconds(10))
        #expect(try settings.receiptConfiguration().pollInterval == .seconds(10))
    }

    @Test func `enrolments that are over are forgotten within a minute`() async throws {
        let settings = try await Settings(arguments: [], environment: Self.minimum)
        #expect(settings.enrolmentPurger.interval == .seconds(60))
    }

    /// A claim is never cancelled: an idle worker's stop waits for it.
    @Test func `an idle worker's claim ends long before the second in which it stops is over`() async throws {
        let settings = try await Settings(arguments: [], environment: Self.minimum)
        #expect(try settings.workerConfiguration().claimWait == .milliseconds(200))
    }

    @Test func `a worker asks a server that is away several times in the two seconds of its return`() async throws {
        let settings = try await Settings(arguments: [], environment: Self.minimum)
        let worker = try settings.workerConfiguration()
        #expect(worker.outageBackoff.cap == .milliseconds(500))
        #expect(worker.storePingInterval == .milliseconds(250))
    }
}
