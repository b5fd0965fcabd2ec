import Foundation
import TestSupport
import Testing

@testable import Observability

/// Which metrics it asks for is in `MetricContractTests`.
@Suite("Grafana's dashboard", .timeLimit(.minutes(1)))
struct GrafanaDashboardTests {
    private static func text() throws -> String { try Repository.text("Config/deploy/grafana/captures.json") }

    private static func panels() throws -> [[String: Any]] {
        let root = try #require(try JSONSerialization.jsonObject(with: Data(text().utf8)) as? [String: Any])
        let panels = try #require(root["panels"] as? [[String: Any]])
        return panels.filter { $0["type"] as? String != "row" }
    }

    private static func questions(_ panel: [String: Any]) throws -> [String] {
        try #require(panel["targets"] as? [[String: Any]]).map { $0["expr"] as? String ?? "" }
    }

    @Test func `it is a JSON document whose panels each have a title and a question`() throws {
        let panels = try Self.panels()
        #expect(panels.count > 15)
        for panel in panels {
            #expect((panel["title"] as? String)?.isEmpty == false)
            let questions = try Self.questions(panel)
            #expect(!questions.isEmpty && !questions.contains(""))
        }
    }

    @Test func `no panel has another one's number or place`() throws {
        let panels = try Self.panels()
        let places = panels.map { panel in
            let place = panel["gridPos"] as? [String: Any]
            let numbers: [Any?] = [panel["id"], place?["x"], place?["y"]]
            return numbers.compactMap { $0 as? Int }
        }
        #expect(places.allSatisfy { $0.count == 3 })
        #expect(Set(places.map { $0[0] }).count == panels.count)
        #expect(Set(places.map { $0.dropFirst() }).count == panels.count)
    }

    @Test func `where no program is there it shows 0, and not that there is no data`() throws {
        let questions = try Self.panels().flatMap(Self.questions).filter { $0.contains("up{job=") }
        #expect(questions.count == 2)
        for question in questions { #expect(question.hasSuffix(") or vector(0)"), "\(question)") }
    }

    @Test func `it shows what decides about a rollout`() throws {
        let questions = try Self.panels().flatMap(Self.questions).joined(separator: "\n")
        for metric in [MetricCatalogue.rolloutRulings, MetricCatalogue.rolloutUnmet] {
            #expect(questions.contains(metric.name), "\(metric.name)")
        }
    }
}
