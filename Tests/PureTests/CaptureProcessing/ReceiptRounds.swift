import AppAttest
import AppleDeviceCheck
import CaptureModel
import CaptureStore
import DeviceSimulator
import Foundation
import Logging
import TestSupport

@testable import CaptureProcessing

/// A renewer of receipts, with a record and an Apple that say what a test wrote down.
struct ReceiptRounds {
    static let alarmPause = Duration.seconds(900)
    let fixture: ReceiptFixture
    private let root: TrustRoot

    init() throws {
        fixture = try ReceiptFixture()
        root = try TrustRoot(pem: fixture.authority.rootPEM)
    }

    /// Lets a renewer run until the rounds are over.
    func run(
        _ rounds: [ReceiptRound],
        environments: Set<KeyEnvironment> = [.production, .development]
    ) async throws -> (log: LogRecorder, clock: ImmediateClock, asked: [Duration]) {
        let (log, clock) = (LogRecorder(), ImmediateClock())
        let script = try script(rounds, clock)
        try await renewer(of: script, log, clock, environments).run()
        return (log, clock, script.asked)
    }

    func script(_ rounds: [ReceiptRound], _ clock: ImmediateClock) throws -> ReceiptScript {
        ReceiptScript(
            rounds, claims: [.production: try claim(.production), .development: try claim(.development)], clock: clock)
    }

    func renewer(
        of script: ReceiptScript, _ log: LogRecorder, _ clock: ImmediateClock,
        _ environments: Set<KeyEnvironment> = [.production, .development]
    ) -> ReceiptRenewer<ReceiptScript, ReceiptScript> {
        var configuration = ReceiptRenewerConfiguration(
            keys: TrustedKeys(
                appIDs: [ReceiptFixture.app.text], environments: environments, trustRoots: [root.sha256]),
            teamID: "TEAM123456")
        configuration.roots = [root]
        configuration.alarmPause = Self.alarmPause
        return ReceiptRenewer(
            store: script, exchange: script, configuration: configuration, now: { Timestamp(ReceiptFixture.moment) },
            random: { 0 }, logger: log.logger, clock: EndingClock(clock: clock, script: script))
    }

    func claim(
        _ environment: KeyEnvironment, _ change: (inout ReceiptContent) -> Void = { _ in }
    ) throws -> ClaimedReceipt {
        let now = Timestamp(ReceiptFixture.moment)
        var content = fixture.content
        if environment == .development { content[7] = Array("sandbox".utf8) }
        change(&content)
        let device = Device.phone(
            .attested(
                publicKey: fixture.device.publicKey, environment: environment, appID: ReceiptFixture.app.text,
                trustRoot: root.recordedName),
            model: fixture.device.model, registeredAt: now)
        return ClaimedReceipt(
            token: 1, device: device, clientDataHash: ReceiptFixture.hash, receipt: try fixture.issuer.sign(content),
            receivedAt: now, notBefore: nil, attempts: 0)
    }
}
