import CaptureModel
import CaptureQueue
import Foundation
import GatewayClient
import PostgresCaptureStore
import TestSupport
import Testing

@Suite("What was accepted outlives Redis", .timeLimit(.minutes(5)))
struct LedgerTests {
    @Test func `after a flush the lost captures are named, the new ones verified, and a retry has its first id`()
        async throws
    {
        let stack = try await Stack.start()
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let before = try (1...3).map { try phone.shoot(seed: $0) }
        var lost: [CaptureID] = []
        for shot in before { lost.append(try await phone.upload(shot)) }
        try await stack.redis.cli("FLUSHALL")
        var kept: [CaptureID] = []
        for seed in 4...6 as ClosedRange<UInt64> { kept.append(try await phone.upload(phone.shoot(seed: seed))) }
        // Its bytes come with it: it is lost no more.
        #expect(try await phone.upload(before[2]) == lost[2])
        let worker = try stack.worker()
        for id in lost[..<2] {
            let status = try await phone.settled(id)
            #expect(status.state == .failed && status.reason == "BUNDLE_MISSING")
            try await gateway.process.line(containing: id.description)
        }
        for id in [lost[2]] + kept { #expect(try await phone.settled(id).state == .verified) }
        for (index, shot) in before.enumerated() { #expect(try await phone.upload(shot) == lost[index]) }
        try await gateway.process.expectStop()
        try await worker.expectStop()
    }
}
