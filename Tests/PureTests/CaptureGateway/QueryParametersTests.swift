import HTTPTypes
import Testing

@testable import CaptureGateway

@Suite("The query of what reads from the API", .timeLimit(.minutes(1)))
struct QueryParametersTests {
    private static let id = "01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"

    /// On the stream of all captures, a `device` that is passed over would show others' changes as that device's.
    @Test func `whatever reads from the API refuses a parameter that it does not have, and one without a value`()
        async throws
    {
        let reading = Operation.allCases.filter { $0.method == .get && $0.path.hasPrefix("/api/") }
        try await GatewayFixture().withOperators().run { gateway in
            for operation in reading {
                let path = operation.path.replacing("{id}", with: Self.id)
                for query in ["nope=1", "nope"] {
                    let answer = try await gateway.get("\(path)?\(query)", token: GatewayFixture.readToken)
                    #expect(answer.status == 400 && answer.field == "nope", "\(operation)")
                }
                for name in operation.queryParameters ?? [] {
                    let answer = try await gateway.get("\(path)?\(name)=", token: GatewayFixture.readToken)
                    #expect(answer.status == 400 && answer.field == name, "\(operation)")
                }
            }
            let stream = try await gateway.get("/api/v1/events?device=\(Self.id)", token: GatewayFixture.readToken)
            #expect(stream.field == "device" && stream.message == "is unknown; known parameters: lastEventId")
        }
    }

    @Test func `what probes and scrapers read takes whatever they append`() async throws {
        try await GatewayFixture().run { gateway in
            for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
                let plain = try await gateway.get(path)
                #expect(try await gateway.get("\(path)?x=1").status == plain.status, "\(path)")
            }
        }
    }
}
