import AsyncHTTPClient
import NIOHTTP1
import Testing

@testable import GatewayClient

@Suite(.timeLimit(.minutes(1))) struct `Steps of an enrolment whose answers are lost` {
    private let clock = ImmediateClock()

    private func client(_ url: String, requestTimeout: Duration = .seconds(30)) -> GatewayClient {
        let configuration = GatewayClient.Configuration(url: url, requestTimeout: requestTimeout, chance: { 1 })
        return GatewayClient(configuration, http: HTTPClient.shared, clock: clock)
    }

    private static let ticket = EnrolmentTicket(
        session: "6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d", user: "u", challenge: [1],
        keys: [EnrolmentTicket.Key(id: "k", publicKey: [2])])
    private static let passed = ScriptedGateway.Answer(
        status: .conflict, body: refusalBody("WRONG_STEP", details: #"{"expected_step": "finalize"}"#))

    private func setPassword(_ answers: [ScriptedGateway.Answer]) async throws -> Int {
        try await ScriptedGateway.serving(answers) { gateway, url in
            // An answer that never comes is waited for in vain; a busy machine may be slow with anything else.
            let timeout: Duration = answers.contains { $0.isHeadOnly } ? .seconds(1) : .seconds(30)
            try await client(url, requestTimeout: timeout).setEnrolmentPassword(
                Self.ticket, sealed: [3], key: Self.ticket.keys[0], nonce: [4])
            return gateway.asked.count
        }
    }

    @Test(arguments: [
        ScriptedGateway.Answer(status: .ok, body: String(repeating: " ", count: 100), isHeadOnly: true),
        .init(status: .badGateway, body: "<html>"),
        .init(status: .serviceUnavailable, body: refusalBody("UNAVAILABLE")),
    ])
    func `a password whose answer was lost is set where the step after it is next`(
        lost: ScriptedGateway.Answer
    ) async throws {
        #expect(try await setPassword([lost, Self.passed]) >= 2)
        let answered = ScriptedGateway.Answer(
            status: .ok, body: #"{"data": {"status": "password_set", "next_step": "finalize"}, "meta": {}}"#)
        #expect(try await setPassword([lost, answered]) >= 2)
    }

    @Test func `another step that is next is told as it is, and so is the one after it to whoever lost no answer`()
        async throws
    {
        let limited = ScriptedGateway.Answer(status: .tooManyRequests, body: refusalBody("RATE_LIMITED"))
        let lost = ScriptedGateway.Answer(status: .badGateway, body: "<html>")
        let early = ScriptedGateway.Answer(
            status: .conflict, body: refusalBody("WRONG_STEP", details: #"{"expected_step": "attestation_required"}"#))
        for (answers, expected) in [
            ([Self.passed], "finalize"), ([limited, Self.passed], "finalize"),
            ([lost, early], "attestation_required"),
        ] {
            let error = await #expect(throws: GatewayError.self) { try await setPassword(answers) }
            guard case .refused(let refusal) = error else { throw Unexpected() }
            #expect(refusal.code == "WRONG_STEP" && refusal.expectedStep == expected)
        }
    }

    @Test func `an attestation whose answer was lost is answered again`() async throws {
        let lost = ScriptedGateway.Answer(status: .serviceUnavailable, body: refusalBody("UNAVAILABLE"))
        let answered = ScriptedGateway.Answer(status: .ok, body: #"{"data": {"password_key_id": "k"}, "meta": {}}"#)
        let key = try await ScriptedGateway.serving([lost, answered]) { _, url in
            try await client(url).attestEnrolment(Self.ticket, keyID: [1], attestation: [2], model: "iPhone17,1")
        }
        #expect(key == Self.ticket.keys[0])
        // The password is set as well by now, and its key is what the answer would have told.
        let error = await #expect(throws: GatewayError.self) {
            try await ScriptedGateway.serving([lost, Self.passed]) { _, url in
                try await client(url).attestEnrolment(Self.ticket, keyID: [1], attestation: [2], model: "iPhone17,1")
            }
        }
        guard case .refused(let refusal) = error else { throw Unexpected() }
        #expect(refusal.expectedStep == "finalize")
    }
}
