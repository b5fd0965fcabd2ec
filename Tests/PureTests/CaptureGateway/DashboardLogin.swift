import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import PercentEncoding
import Testing

@testable import CaptureGateway

/// A login at a gateway's dashboard, as a browser holds it, that does not go by itself where it is sent.
struct DashboardLogin: Sendable {
    private static let http = HTTPClient(
        configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let text: String

        var location: String? { headers.first(name: "Location") }
        /// Where it leads, without the mark of a notice.
        var deed: String? { location?.replacing(/&mark=[0-9a-f]{16}$/, with: "") }
        /// The cookie that it sets, as a browser sends it back.
        var cookie: String? { headers.first(name: "Set-Cookie").map { String($0.prefix { $0 != ";" }) } }
        /// What the forms of a page send with them.
        var formToken: String? {
            text.firstMatch(of: /name="form_token" value="([0-9a-f]{64})"/).map { String($0.1) }
        }
    }

    private let url: String
    private let cookie: String
    private let formToken: String

    /// Logs in.
    init(_ gateway: GatewayCaller, token: String = GatewayFixture.operatorToken) async throws {
        url = gateway.url
        let answer = try await Self.logIn(gateway, token: token)
        cookie = try #require(answer.cookie)
        let page = try await Self.ask(.GET, "\(gateway.url)/dashboard", cookie: cookie)
        formToken = try #require(page.formToken)
    }

    /// Sends the form of the login page.
    static func logIn(_ gateway: GatewayCaller, token: String, name: String = "alice") async throws -> Answer {
        try await ask(.POST, "\(gateway.url)/dashboard/login", form: [("token", token), ("name", name)])
    }

    /// Loads a page.
    func get(_ path: String) async throws -> Answer {
        try await Self.ask(.GET, url + path, cookie: cookie)
    }

    /// Sends a form of the login's own.
    func post(_ path: String, _ form: [(String, String)]) async throws -> Answer {
        try await Self.ask(.POST, url + path, cookie: cookie, form: [("form_token", formToken)] + form)
    }

    /// Asks for something as a browser does, logged in or not.
    static func ask(
        _ method: NIOHTTP1.HTTPMethod, _ address: String, cookie: String? = nil, form: [(String, String)]? = nil,
        headers: HTTPHeaders = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: address)
        request.method = method
        request.headers = headers
        if let cookie { request.headers.add(name: "Cookie", value: cookie) }
        if let form {
            let text = form.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: text))
        }
        let response = try await http.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 4 << 20)
        return Answer(status: Int(response.status.code), headers: response.headers, text: String(buffer: body))
    }
}

extension GatewayFixture {
    /// Runs the gateway while an operator who has logged in works with it.
    func runLoggedIn(_ body: @Sendable @escaping (DashboardLogin) async throws -> Void) async throws {
        try await run { gateway in try await body(DashboardLogin(gateway)) }
    }
}
