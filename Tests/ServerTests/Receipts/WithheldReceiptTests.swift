import AppAttest
import AppleDeviceCheck
import CaptureModel
import CaptureProcessing
import CaptureStore
import DeviceSimulator
import Foundation
import Logging
import PostgresCaptureStore
import PostgresClient
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `Receipts that the settings keep back` {
    private static let otherTeams = "OTHER12345.com.example.capture"

    private func outcomes(of renewer: ReceiptRenewer<PostgresCaptureStore, AnsweredExchange>) async throws
        -> [ReceiptOutcome]
    {
        var outcomes: [ReceiptOutcome] = []
        while let outcome = try await renewer.renewNext() { outcomes.append(outcome) }
        return outcomes
    }

    @Test func `withheld receipts of another team's app are never sent, and hold up nobody else's`() async throws {
        try await withPostgresStore { store, client async throws in
            let scene = try ReceiptScene(store: store)
            let (theirs, ours) = (try await scene.register(appID: Self.otherTeams), try await scene.register())
            let (issuer, clock) = (scene.issuer, scene.clock)
            let asked = Mutex(0)
            func renewer(team: String) throws -> ReceiptRenewer<PostgresCaptureStore, AnsweredExchange> {
                try scene.renewer {
                    $0.keys.appIDs.insert(Self.otherTeams)
                    $0.teamID = team
                } _: { receipt in
                    asked.withLock { $0 += 1 }
                    let renewed = try? issuer.renew(receipt, riskMetric: 1, at: clock.now.date)
                    return renewed.map { .renewed($0) } ?? .refused
                }
            }
            func areAwaited() async throws -> [Bool?] {
                let known = try await store.devices([theirs.id, ours.id])
                return [known[theirs.id]?.isRiskAwaited, known[ours.id]?.isRiskAwaited]
            }
            #expect(try await areAwaited() == [true, true])
            #expect(try await Set(outcomes(of: renewer(team: "TEAM123456"))) == [.ended, .renewed])
            #expect(try await areAwaited() == [false, true])
            #expect(try await store.devices([theirs.id])[theirs.id]?.isRiskAwaited == false)
            #expect(asked.withLock { $0 } == 1)
            #expect(try await store.receipt(of: ours.id)?.outcome == .renewed)
            let standing = try #require(try await store.receipt(of: theirs.id))
            #expect(standing.outcome == .ended && standing.reason?.rawValue == "TEAM_NOT_CONFIGURED")

            // Whoever mends the settings has lost nothing.
            #expect(try #require(standing.nextAt) > clock.now.advanced(by: .seconds(6 * 86_400)))
            try await scene.hurry(client)
            clock.advance(by: .seconds(7 * 86_400))
            #expect(try await Set(outcomes(of: renewer(team: "OTHER12345"))) == [.ended, .renewed])
            #expect(try await store.receipt(of: theirs.id)?.outcome == .renewed)
        }
    }

    @Test func `withheld receipts of keys that are not taken any more are never sent`() async throws {
        try await withPostgresStore { store, _ async throws in
            let scene = try ReceiptScene(store: store)
            let gone = try TrustRoot(pem: TestCertificateAuthority(at: Date()).rootPEM)
            let devices = [
                "TRUST_ROOT_NOT_ALLOWED": try await scene.register(trustRoot: gone),
                "APP_NOT_ALLOWED": try await scene.register(appID: "TEAM123456.com.example.gone"),
                "ENVIRONMENT_MISMATCH": try await scene.register(environment: .development),
            ]
            let renewer = try scene.renewer {
                $0.keys.environments = [.production]
            } _: { _ in
                Issue.record("nothing was to be sent")
                return .refused
            }
            #expect(try await outcomes(of: renewer) == [.ended, .ended, .ended])
            for (reason, device) in devices {
                #expect(try await store.receipt(of: device.id)?.reason?.rawValue == reason)
            }
        }
    }

    @Test
    func `withheld receipts are told once for each reason, however many there are and however often they are due`()
        async throws
    {
        try await withPostgresStore { store, client async throws in
            let (scene, log) = (try ReceiptScene(store: store), LogRecorder(from: .warning))
            for appID in [Self.otherTeams, "TEAM123456.com.example.gone"] {
                for _ in 0..<3 { _ = try await scene.register(appID: appID) }
            }
            _ = try await scene.register()
            let renewer = try scene.renewer(asking: AnsweredExchange { _ in .refused }, logger: log.logger) {
                $0.keys.appIDs.insert(Self.otherTeams)
            }
            for _ in 1...2 {
                #expect(try await outcomes(of: renewer).count == 7)
                try await scene.hurry(client)
            }
            #expect(log.lines.count { $0 == "warning receipts are kept back as the settings are" } == 2)
            #expect(log.lines.count { $0 == "warning Apple refuses a receipt" } == 2)
        }
    }

    @Test(arguments: [("OTHER12345", true), ("TEAM123456", false)])
    func `withheld receipts are announced at the start where no app is of the developer's team`(
        team: String, isTold: Bool
    ) async throws {
        try await withPostgresStore { store, _ async throws in
            let (scene, log) = (try ReceiptScene(store: store), LogRecorder())
            let device = try await scene.register()
            let renewer = try scene.renewer(
                asking: AnsweredExchange { _ in .refused }, logger: log.logger
            ) { $0.teamID = team }
            let group = ServiceGroup(services: [renewer], logger: .quiet)
            let running = Task { try await group.run() }
            try await eventually { try await store.receipt(of: device.id)?.outcome != .waiting }
            await group.triggerGracefulShutdown()
            try await running.value
            #expect(log.lines.contains { $0.contains("no app of app.ids is of apple.teamID") } == isTold)
        }
    }
}
