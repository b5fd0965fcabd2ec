import AppAttest
import AppleDeviceCheck
import CaptureModel
import CoreMetrics
import Logging
import Observability
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

/// Says one thing after the other, wherever it is asked.
private final class SaidInTurn: DeviceCheckService {
    private let answers: Mutex<[Result<TwoBits, DeviceCheckFault>]>

    init(_ answers: [Result<TwoBits, DeviceCheckFault>]) {
        self.answers = Mutex(answers)
    }

    func query(
        _ token: DeviceToken, in environment: KeyEnvironment
    ) async throws(DeviceCheckFault) -> TwoBits {
        let answer = answers.withLock { $0.removeFirst() }
        return try answer.get()
    }
}

@Suite(.timeLimit(.minutes(1))) struct `What a gateway notes of DeviceCheck` {
    /// What Apple says to the registration of a device of an environment.
    struct Turn: Sendable {
        var environment: KeyEnvironment
        var fault: DeviceCheckFault?

        var answer: Result<TwoBits, DeviceCheckFault> {
            if let fault { .failure(fault) } else { .success(.neverSet) }
        }

        static func production(_ fault: DeviceCheckFault? = nil) -> Self {
            Turn(environment: .production, fault: fault)
        }

        static func development(_ fault: DeviceCheckFault? = nil) -> Self {
            Turn(environment: .development, fault: fault)
        }
    }

    private let log = LogRecorder(from: .notice)
    private let registry = PrometheusRegistry()

    /// Registers a device in each turn.
    private func take(_ turns: [Turn]) async throws {
        var changed = try GatewayFixture()
        changed.configuration.trust.environments = [.production, .development]
        changed.configuration.rates.challengeLimit = turns.count
        changed.dependencies.logger = log.logger
        changed.dependencies.deviceCheck = SaidInTurn(turns.map(\.answer))
        let fixture = changed
        try await withMetricsFactory(registry) {
            try await fixture.run { gateway in
                for turn in turns {
                    let device = `Registration with DeviceCheck`.device(.ed25519)
                    var form: JSONValue? = try `Registration with DeviceCheck`.form(device, await gateway.challenge())
                    form["environment"] = .string(turn.environment.rawValue)
                    let answer = try await gateway.post("/api/v1/devices/devicecheck", form)
                    #expect(answer.status == (turn.fault == .token ? 400 : 201))
                }
            }
        }
    }

    @Test func `a gateway tells the log once that Apple is not reached, and why, and once that it is again`()
        async throws
    {
        let away = DeviceCheckFault.unreachable("connect timeout")
        try await take([
            .production(away), .production(away), .production(.request("no bits")), .production(),
            .production(.token), .production(away),
        ])
        let lines = log.lines.filter { $0.contains("Apple") || $0.contains("DeviceCheck") }
        #expect(
            lines == [
                "warning Apple is not reached", "notice Apple is reached again", "warning DeviceCheck did not answer",
                "notice DeviceCheck answers again", "warning Apple is not reached",
            ])
        #expect(log.values(of: "detail") == ["connect timeout", "no bits", "connect timeout"])
    }

    @Test func `a gateway tells the log of each environment what is its own, however often they take turns`()
        async throws
    {
        let away = DeviceCheckFault.unreachable("connect timeout")
        try await take([
            .development(away), .production(), .development(away), .production(), .development(), .production(),
        ])
        let lines = log.lines.filter { $0.contains("Apple") || $0.contains("DeviceCheck") }
        #expect(lines == ["warning Apple is not reached", "notice Apple is reached again"])
        #expect(log.values(of: "environment") == ["development", "development"])
    }

    @Test
    func `a gateway tells the log once of each kind what came instead of answers, and once that there are some again`()
        async throws
    {
        var turns: [Turn] = [.development(.unauthorized)]
        turns += [Turn](repeating: .production(.unauthorized), count: 10)
        turns += [.production(.overloaded(status: 503)), .production(.unauthorized), .production()]
        turns += [.production(.token), .production(.unauthorized)]
        try await take(turns)
        let (warning, notice) = ("warning DeviceCheck did not answer", "notice DeviceCheck answers again")
        let lines = log.lines.filter { $0.contains("DeviceCheck") }
        #expect(lines == [warning, warning, warning, notice, warning])
        let places = ["development", "production", "production", "production", "production"]
        #expect(log.values(of: "environment") == places)
        let key = "DEVELOPER_KEY_REFUSED"
        #expect(log.values(of: "fault") == [key, key, "APPLE_OVERLOADED", key])
    }

    @Test(
        arguments: [
            ([.production()], "0", "0"),
            ([.production(.request("no bits")), .development(.unauthorized), .production()], "0", "1"),
            (
                [
                    .production(.unauthorized), .production(.unreachable("away")),
                    .production(.overloaded(status: 503)),
                    .production(.unexpected(status: 418)), .development(),
                ], "1", "0"
            ),
            ([.production(.unauthorized), .production(.token)], "0", "0"),
        ] as [([Turn], String, String)])
    func `a gateway tells the metrics whether Apple's last word on the developer's key was a refusal`(
        turns: [Turn], production: String, development: String
    ) async throws {
        try await take(turns)
        let exposition = try StrictExposition(registry.render())
        let name = "capture_developer_key_refused"
        #expect(exposition.value(name, ["environment": "production"]) == production)
        #expect(exposition.value(name, ["environment": "development"]) == development)
    }
}
