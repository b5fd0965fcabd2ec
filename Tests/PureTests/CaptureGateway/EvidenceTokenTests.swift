import AppAttest
import CaptureModel
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("A token for evidence", .timeLimit(.minutes(1)))
struct EvidenceTokenTests {
    private static let token = "evidence-token"
    private static let digests = [SHA256Digest.hash(Array(token.utf8))]

    private static func fixture() throws -> GatewayFixture {
        var fixture = try GatewayFixture().withOperators()
        fixture.configuration.access.evidenceTokenDigests = digests
        return fixture
    }

    /// All but the stream without an end: who may read it is who may read the queue and lists.
    private static let operations = Operation.allCases.filter { $0 != .events }

    /// An operation that is added belongs to both tokens or to neither, unless it is written down here.
    @Test(arguments: operations)
    func `a token for evidence may what a read-only token may, and reads evidence besides`(operation: Operation)
        async throws
    {
        try await Self.fixture().run { gateway in
            func ask(_ token: String) async throws -> GatewayCaller.Answer {
                let path = operation.path.replacing("{id}", with: "00000000-0000-4000-8000-000000000001")
                let isPost = operation.method == .post
                return try await gateway.send(
                    isPost ? .POST : .GET, path,
                    headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                    body: isPost ? Array("{}".utf8) : nil)
            }
            let (reader, own) = (try await ask(GatewayFixture.readToken), try await ask(Self.token))
            if operation == .captureEvidence {
                #expect(reader.code == "FORBIDDEN" && own.code == "CAPTURE_NOT_FOUND")
            } else {
                #expect(own.status == reader.status && own.code == reader.code, "\(operation): \(own.status)")
            }
            if operation == .revokeDevice { #expect(own.status == 403 && own.code == "FORBIDDEN") }
        }
    }

    @Test func `a token for evidence gets the evidence of every capture with a result`() async throws {
        let log = LogRecorder()
        let configure = { (settings: inout GatewayConfiguration) in
            settings.access.evidenceTokenDigests = Self.digests
        }
        try await CapturesGateway.run(logger: log.logger, configure: configure) { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            let path = "/api/v1/captures/\(id)/evidence"
            let answer = try await gateway.send(.GET, path, headers: [("Authorization", "Bearer \(Self.token)")])
            #expect(answer.status == 200 && answer.data["result"]["capture_id"] == .string("\(id)"))
            let unknown = try await gateway.send(.GET, path, headers: [("Authorization", "Bearer \(Self.token)x")])
            #expect(unknown.status == 401 && unknown.code == "UNAUTHORIZED")
        }
        #expect(log.lines.count { $0 == "info evidence was read" } == 1)
        #expect(log.values(of: "actor") == ["token \(Self.digests[0].hex.prefix(8))"])
    }

    /// It is a server's: whoever looks at the dashboard has a token of his own.
    @Test func `a token for evidence opens no dashboard, unless it is in the list of readers as well`() async throws {
        let fixture = try Self.fixture()
        for isReaders in [false, true] {
            var configuration = fixture.configuration
            if isReaders { configuration.access.readTokenDigests += Self.digests }
            let sessions = Sessions(
                store: MemorySessions(), access: configuration.access, now: fixture.time.source,
                random: { .random(in: 0 ... .max) })
            let cookie = try await sessions.logIn(token: Self.token, name: "alice", authority: nil)
            #expect((cookie != nil) == isReaders)
        }
        try await fixture.run { gateway in
            let answer = try await gateway.send(
                .POST, "/dashboard/login", headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array("token=\(Self.token)&name=alice".utf8))
            #expect(answer.status == 403 && answer.headers.first(name: "Set-Cookie") == nil)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("This token opens no dashboard."))
        }
    }

    /// What an open stream asks from time to time.
    @Test func `a token for evidence may go on reading a stream until it is taken out of the settings`() async throws {
        try await CapturesGateway.run { gateway in
            let app = try #require(AppID(GatewayFixture.appID))
            var configuration = GatewayConfiguration(appIDs: [app])
            let head = HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: "/",
                headerFields: [.authorization: "Bearer \(Self.token)"])
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            configuration.access.evidenceTokenDigests = Self.digests
            let access = AccessControl(configuration: configuration, dependencies: gateway.backend.dependencies)
            try await access.require(.evidenceToken, of: request)
            configuration.access.evidenceTokenDigests = []
            let later = AccessControl(configuration: configuration, dependencies: gateway.backend.dependencies)
            let refusal = await #expect(throws: APIError.self) { try await later.require(.evidenceToken, of: request) }
            #expect(refusal?.code == .unauthorized)
        }
    }
}
