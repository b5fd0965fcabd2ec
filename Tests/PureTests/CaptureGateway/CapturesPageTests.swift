import CaptureModel
import FoundationEssentials
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The page of captures` {
    /// The first is the end of a capture's id.
    @Test(arguments: ["cfc960e28700", "2830351", "nobody"])
    func `the page of captures says what a search takes, of a text that it could not find`(text: String) async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/captures?q=\(text)").text
            let taken = "Search takes an id, its first 8 characters or more, or a whole SHA-256"
            #expect(page.contains("\(taken), and not “<bdi>\(text)</bdi>”."))
            #expect(!page.contains("Nothing is known") && !page.contains("No id of the record"))
        }
    }

    @Test func `the page of captures says that no id of the record begins with what was searched for`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/captures?q=28303518").text
            #expect(page.contains("No id of the record begins with “<bdi>28303518</bdi>”."))
            #expect(page.contains("value=\"28303518\"") && !page.contains("Search takes"))
        }
    }

    @Test func `the page of captures says that nothing is known of a whole id or digest that nothing has`() async throws
    {
        try await GatewayFixture().withOperators().run { gateway in
            let login = try await DashboardLogin(gateway)
            for text in [UUID().uuidString.lowercased(), SHA256Digest.hash([1]).hex] {
                let page = try await login.get("/dashboard/captures?q=\(text)").text
                #expect(page.contains("Nothing is known by “<bdi>\(text)</bdi>”."))
            }
        }
    }

    @Test func `the page of captures shows a filter that means nothing at its field, and keeps the others`()
        async throws
    {
        try await GatewayFixture().withOperators().run { gateway in
            let path = "/dashboard/captures?device=28303518&state=failed&from=2026-04-21T18:13"
            let page = try await DashboardLogin(gateway).get(path)
            #expect(page.status == 400 && page.text.contains("<h1>Captures</h1>"))
            #expect(page.text.contains(">Device must be a device&#39;s whole id.</p>"))
            let field = try #require(page.text.firstMatch(of: /<input [^>]*id="filter-device"[^>]*>/)).0
            #expect(field.contains(#"value="28303518""#) && field.contains(#"aria-invalid="true""#))
            #expect(field.contains(#"aria-describedby="refused""#) && page.text.contains(#"id="refused""#))
            #expect(page.text.contains(#"<option value="failed" selected"#))
            #expect(page.text.contains(#"value="2026-04-21T18:13""#))
            #expect(!page.text.contains("No captures.") && page.text.contains(#"<body data-live="">"#))
        }
    }

    /// The explanation alone is cut where the field ends, and logs have codes.
    @Test func `the page of captures offers each reason by its code, with what it means`() async throws {
        try await GatewayFixture().withOperators().run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/captures").text
            let choice = try #require(page.firstMatch(of: /<select id="filter-reason"[^>]*>(.*?)<.select>/)).1
            let options = choice.matches(of: /<option value="([A-Z_]+)">([^<]*)</)
            #expect(options.count == ListingQuery.reasons.count)
            for option in options { #expect(option.2.hasPrefix("\(option.1): "), "\(option.2)") }
            #expect(choice.contains(">INTERNAL: a fault of the system</option>"))
        }
    }
}
