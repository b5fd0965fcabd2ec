import AppleDeviceCheck
import AppleStandIn
import CaptureModel
import Crypto
import DeviceSimulator
import Foundation
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The two bits of a device` {
    private static let moment = Timestamp(millisecondsSince1970: 1_790_000_000_000)
    private let secret = P256.Signing.PrivateKey()

    /// What a stand-in was asked.
    private final class Questions: Sendable {
        private let asked = Mutex<[AppleStandIn.Asked]>([])

        var all: [AppleStandIn.Asked] { asked.withLock { $0 } }

        func note(_ question: AppleStandIn.Asked) { asked.withLock { $0.append(question) } }
    }

    /// Runs a body with a client, the memory of the stand-in that it asks, and its questions.
    private func withClient(
        _ body: @Sendable (DeviceCheckClient, StandInMemory, Questions) async throws -> Void
    ) async throws {
        let authority = try TestCertificateAuthority(at: Self.moment.date)
        let questions = Questions()
        let standIn = AppleStandIn(
            receipts: try TestReceiptIssuer(authority: authority, at: Self.moment.date),
            developer: .init(key: secret.publicKey, keyID: "ABC123DEFG", teamID: "TEAM123456"), now: { Self.moment },
            onAsked: questions.note)
        try await standIn.serving { address async throws in
            try await ask(.init(production: address("production"), development: address("development"))) {
                try await body($0, standIn.memory, questions)
            }
        }
    }

    private func ask(
        _ hosts: AppleHosts, tokens: DeveloperTokens? = nil, retries: DeviceCheckClient.RetryPolicy = .init(),
        clock: ImmediateClock = ImmediateClock(), _ body: @Sendable (DeviceCheckClient) async throws -> Void
    ) async throws {
        let key = try DeveloperKey(key: secret, keyID: "ABC123DEFG", teamID: "TEAM123456")
        let server = AppleServer()
        let client = DeviceCheckClient(
            server: server, tokens: tokens ?? DeveloperTokens(key: key, now: { Self.moment }), hosts: hosts,
            retries: retries, now: { Self.moment }, random: { .random(in: .min ... .max) }, clock: clock)
        try await withThrowingTaskGroup(of: Void.self) { group async throws in
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            try await body(client)
        }
    }

    private func token(_ device: String = "phone", _ nonce: UInt64 = 1) throws -> DeviceToken {
        try #require(DeviceToken(base64: AppleStandIn.deviceToken(of: device, nonce: nonce)))
    }

    @Test func `the two bits of a device are never set, set, and kept where they are left out`() async throws {
        try await withClient { client, _, questions async throws in
            #expect(try await client.query(token(), in: .production) == .neverSet)
            try await client.update(token("phone", 2), bit0: true, in: .production)
            #expect(
                try await client.query(token("phone", 3), in: .production)
                    == .set(bit0: true, bit1: false, lastUpdate: "2026-09"))
            try await client.update(token("phone", 4), bit1: true, in: .production)
            try await client.update(token("phone", 5), bit0: false, in: .production)
            #expect(
                try await client.query(token("phone", 6), in: .production)
                    == .set(bit0: false, bit1: true, lastUpdate: "2026-09"))
            #expect(try await client.query(token("other"), in: .development) == .neverSet)
            try await client.validate(token(), in: .production)
            #expect(questions.all.allSatisfy { $0.authorization.hasPrefix("Bearer ") })
            #expect(Set(questions.all.map(\.authorization)).count == 1, "the developer's token serves for a while")
            #expect(Set(questions.all.map(\.body)).count == questions.all.count, "every question has a name of its own")
        }
    }

    @Test(arguments: [
        ("Failed to find bit state", TwoBits.neverSet), ("Bit State Not Found", .neverSet),
        (
            #"{"bit0":true,"bit1":true,"last_update_time":"2020-01"}"#,
            .set(bit0: true, bit1: true, lastUpdate: "2020-01")
        ),
    ])
    func `the two bits of a device are read in every form that a 200 has`(_ text: String, _ bits: TwoBits) async throws
    {
        try await withClient { client, memory, _ async throws in
            memory.script([.init(200, text)])
            #expect(try await client.query(token(), in: .production) == bits)
        }
    }

    @Test(arguments: [
        "", "OK", "{}", #"{"bit0":1,"bit1":0,"last_update_time":"2020-01"}"#, #"{"bit0":true,"bit1":true}"#,
        #"{"bit0":true,"bit1":true,"last_update_time":"2020-13"}"#,
        #"{"bit0":true,"bit1":true,"last_update_time":"yesterday"}"#,
        #"{"bit0":true,"bit1":true,"last_update_time":"2026-+5"}"#,
        #"{"bit0":true,"bit1":true,"last_update_time":"1\u03022-05"}"#,
    ])
    func `the two bits of a device are not made up from what is not documented`(_ text: String) async throws {
        try await withClient { client, memory, _ async throws in
            memory.script([.init(200, text)])
            await #expect(throws: DeviceCheckFault.unexpected(status: 200)) {
                try await client.query(token(), in: .production)
            }
        }
    }

    @Test(arguments: [
        (400, "Missing or incorrectly formatted device token payload", DeviceCheckFault.token),
        (400, "MISSING OR BADLY FORMATTED DEVICE TOKEN", .token),
        (400, "Missing or incorrectly formatted bits", .request("Missing or incorrectly formatted bits")),
        (400, "Missing or incorrectly formatted time stamp", .request("Missing or incorrectly formatted time stamp")),
        (
            400, "Missing or incorrectly formatted authorization token",
            .request("Missing or incorrectly formatted authorization token")
        ),
        (401, "Unable to verify authorization token", .unauthorized), (405, "", .unexpected(status: 405)),
    ])
    func `the two bits of a device tell a fault of the device's token from faults of our own`(
        _ status: Int, _ text: String, _ fault: DeviceCheckFault
    ) async throws {
        try await withClient { client, memory, questions async throws in
            memory.script([.init(status, text)])
            await #expect(throws: fault) { try await client.query(token(), in: .production) }
            #expect(questions.all.count == 1, "what cannot become good is not asked again")
        }
    }

    @Test func `the two bits of a device are asked for again when Apple has too much to do, and only so often`()
        async throws
    {
        try await withClient { client, memory, questions async throws in
            memory.script([.init(429), .init(503)])
            #expect(try await client.query(token(), in: .production) == .neverSet)
            #expect(questions.all.count == 3)
            memory.script([.init(500), .init(500), .init(500)])
            await #expect(throws: DeviceCheckFault.overloaded(status: 500)) {
                try await client.query(token(), in: .production)
            }
            #expect(questions.all.count == 6)
        }
        let clock = ImmediateClock()
        try await ask(Self.nobody, clock: clock) { client async throws in
            let fault = await #expect(throws: DeviceCheckFault.self) {
                try await client.query(token(), in: .production)
            }
            #expect(fault?.code == "APPLE_UNREACHABLE")
        }
        #expect(clock.slept.count == 2, "a connection that fails is tried again as well")
    }

    @Test func `the two bits of a device are asked for with another token once Apple has refused one`() async throws {
        let time = ManualTime()
        let tokens = DeveloperTokens(now: time.source) { moment throws(DeveloperKey.Fault) in moment.rfc3339 }
        let first = try tokens.token()
        time.advance(by: .seconds(60))
        try await ScriptedGateway.serving([.init(status: .unauthorized, body: "")]) { _, url in
            try await ask(.init(production: url, development: url), tokens: tokens) { client async throws in
                await #expect(throws: DeviceCheckFault.unauthorized) {
                    try await client.query(token(), in: .production)
                }
            }
        }
        #expect(try tokens.token() != first)
    }

    /// A caller waits: without a common limit, each attempt could take as long as all of them together may.
    @Test func `the two bits of a device are given up with all their tries when the time for one question is over`()
        async throws
    {
        var retries = DeviceCheckClient.RetryPolicy()
        retries.timeout = .milliseconds(300)
        let stalled = ScriptedGateway.Answer(status: .ok, body: "never sent", isHeadOnly: true)
        try await ScriptedGateway.serving([stalled]) { [retries] gateway, url in
            try await ask(.init(production: url, development: url), retries: retries) { client async throws in
                let fault = await #expect(throws: DeviceCheckFault.self) {
                    try await client.query(token(), in: .production)
                }
                #expect(fault?.code == "APPLE_UNREACHABLE")
            }
            #expect(gateway.asked.count < 2, "a try that hangs is not made again")
        }
    }

    /// Nobody listens there.
    private static let nobody = AppleHosts(production: "http://127.0.0.1:1", development: "http://127.0.0.1:1")

    @Test func `the two bits of a device are not asked for without a token, which is no refusal of Apple's`()
        async throws
    {
        let tokens = DeveloperTokens(now: { Self.moment }) { _ throws(DeveloperKey.Fault) in throw .signature }
        try await ask(Self.nobody, tokens: tokens) { client async throws in
            await #expect(throws: DeviceCheckFault.unreachable("the developer's key makes no token: signature")) {
                try await client.query(token(), in: .production)
            }
        }
    }

    @Test(arguments: ["", "no base64!", "AA\nAA", String(repeating: "A", count: 12_000)])
    func `the two bits of a device need a token that is one`(_ text: String) {
        #expect(DeviceToken(base64: text) == nil)
    }
}
