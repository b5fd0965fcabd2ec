import CaptureInspection
import CaptureModel
import HTTPTypes
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

/// Each of these would take minutes if the text were compared as a Swift `String`, and half a second for what fits into
/// a request.
@Suite("Text that is expensive to compare costs what its bytes cost", .timeLimit(.minutes(1)))
struct CostlyTextTests {
    private static let marks = CostlyText.bytes(600_000)
    /// As much as a head or a body may have.
    private static let small = CostlyText.bytes(24_000)

    @Test func `text that is expensive to compare costs what its bytes cost as a word of ours`() {
        #expect(Binding(word: Self.marks) == nil)
        #expect(Binding(word: "framed-v2\(Self.marks)") == nil)
        #expect(Binding(word: "framed-v2") == .framedV2)
    }

    @Test func `text that is expensive to compare costs what its bytes cost in a form, by its names and its values`() {
        let form = FormFields("n\(Self.marks)=a&token=b&next=\(Self.marks)&verb=redriven")
        #expect(form["token"] == "b" && form["verb"] == "redriven")
        // Cut, and too long for whatever is asked for.
        #expect(form["next"].map { (1_025...1_100).contains($0.utf8.count) } == true)
        #expect(Notice(FormFields("done=\(Self.marks)&count=1")) == nil)
        #expect(throws: APIError.self) { try form.requireOnly(["token", "next", "verb"]) }
        #expect(FormFields("a=\(String(repeating: "x", count: 5_000))")["a"]?.utf8.count == 5_000)
    }

    @Test
    func `text that is expensive to compare costs what its bytes cost in a media type, a cookie and an address`() {
        #expect(!MediaType.json.isNamed(by: "a\(Self.marks)"))
        #expect(!MediaType.json.isNamed(by: "application/json \(Self.marks)"))
        #expect(MediaType.json.isNamed(by: " Application/JSON ;charset=utf-8"))
        #expect(!MediaType.json.isNamed(by: "application/jsonx") && !MediaType.json.isNamed(by: ""))
        let secret = String(repeating: "a", count: 64)
        func cookie(_ text: String) -> SessionCookie? { SessionCookie([.cookie: text], for: "localhost") }
        #expect(cookie("  \(Self.marks); capture_session=\(secret)")?.secret == secret)
        #expect(cookie("capture_session=\(Self.marks)") == nil)
        #expect(Destination("/dashboard/captures?q=\(Self.marks)") == nil)
        let proxies = TrustedProxies(["10.0.0.0/8"])
        let chain = ["\(Self.marks), 10.0.0.2"]
        #expect(proxies.client(peer: IPAddress("10.0.0.1"), forwardedFor: chain) == IPAddress("10.0.0.2"))
    }

    @Test(arguments: ["platform", "model", "algorithm", "key", "challenge"])
    func `text that is expensive to compare costs what its bytes cost in a body`(member: String) async throws {
        var values = ["platform": "ios", "model": "x", "algorithm": "p256", "key": "", "challenge": ""]
        values[member] = CostlyText.bytes(60_000)
        func value(_ name: String) -> String { values[name] ?? "" }
        let body = """
            {"platform":"\(value("platform"))","model":"\(value("model"))","has_lidar":true,"public_key":\
            {"algorithm":"\(value("algorithm"))","key":"\(value("key"))","challenge":"\(value("challenge"))","signature":""}}
            """
        try await GatewayFixture().run { gateway in
            let answer = try await gateway.send(.POST, "/api/v1/devices/register", body: Array(body.utf8))
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR")
            #expect(answer.json["error"]["message"].string?.contains("too long") == true)
        }
    }

    @Test(arguments: [
        "Authorization: B", "Content-Type: a", "Expect: 1", "If-None-Match: \"", "Last-Event-ID: 1", "Origin: http://",
        "Host: a", "Host: b\r\nX-A: ",
    ])
    func `text that is expensive to compare is refused in a head, as is a second host`(field: String) async throws {
        try await CapturesGateway.run { gateway in
            let host = field.hasPrefix("Host: a") ? "" : "Host: 127.0.0.1\r\n"
            let head = "GET /api/v1/challenge HTTP/1.1\r\n\(host)\(field)\(Self.small)\r\n\r\n"
            let answer = try await gateway.raw(Array(head.utf8))
            #expect(answer.hasPrefix("HTTP/1.1 400"), "\(answer.prefix(200))")
        }
    }

    /// Other values than one word are none of Hummingbird's business, which would compare them.
    @Test func `text that is expensive to compare is no word in the field that tells of the connection`() async throws {
        try await CapturesGateway.run { gateway in
            func request(_ connection: String) -> String {
                "GET /x HTTP/1.1\r\nHost: a\r\nConnection: \(connection)\r\n\r\n"
            }
            let connection = try RawConnection(port: gateway.port)
            try await connection.send(request("c\(Self.small)") + request("close"))
            let answers = try await connection.read()
            #expect(answers.ranges(of: "HTTP/1.1 404").count == 2, "\(answers.prefix(200))")
        }
    }

    @Test func `a request that names no host is refused, but for one of HTTP 1.0`() async throws {
        try await CapturesGateway.run { gateway in
            let (new, old) = (
                try await gateway.raw(Array("GET /x HTTP/1.1\r\n\r\n".utf8)),
                try await gateway.raw(Array("GET /x HTTP/1.0\r\n\r\n".utf8))
            )
            #expect(new.hasPrefix("HTTP/1.1 400") && old.contains(" 404"))
        }
    }

    @Test func `an escape is two hexadecimal digits, and anything else is itself`() {
        let form = FormFields("a=%+9&b=%41%6a%6A&c=%4&d=%&e=%zz&f=1+2")
        #expect(form["a"] == "% 9" && form["b"] == "Ajj" && form["c"] == "%4" && form["d"] == "%")
        #expect(form["e"] == "%zz" && form["f"] == "1 2")
    }
}
