import CaptureModel
import Foundation
import Testing

@testable import GatewayClient
@testable import capturectl

/// The first thing that somebody who tries `make run` sees.
@Suite("What a simulation prints")
struct SimulationReportTests {
    private let id = CaptureID(UUID())
    private let device = DeviceID(UUID())

    private func status(_ members: String) throws -> CaptureStatus {
        try #require(CaptureStatus(try JSONValue(json: #"{"capture_id": "\#(id)", \#(members)}"#.utf8)))
    }

    private func record(_ number: Int, _ scenario: Scenario, _ outcome: Outcome) -> CaptureRecord {
        CaptureRecord(
            .init(number: number, scenario: scenario, seed: 1, photoBytes: 1), device: 0, capture: id, outcome: outcome,
            expectation: scenario.expectation(level: .secureEnclave), upload: .milliseconds(3))
    }

    /// A run with the longest words of each column.
    private func result() throws -> Simulation.Result {
        let good = try status(
            #""status": "verified", "confidence": "medium", "timings": {"queue_ms": 1234.5, "verify_ms": 1.5, "settle_ms": 2}"#
        )
        let bad = try status(#""status": "rejected", "reason": "SIGNATURE_INVALID""#)
        var registered = SimulatedDeviceRecord(number: 1, expected: true)
        registered.device = device
        return Simulation.Result(
            devices: [registered],
            captures: [
                record(100, .genuine, .answered(good)), record(101, .tamperedDepth, .answered(bad)),
                record(102, .malleated, .sameCapture(id)), record(103, .replayed, .failed("no answer within 120 s")),
            ])
    }

    private var trust: [TrustShowcase.Record] {
        [
            .init(
                service: "receipt exchange", device: device, expectation: "renewed, with a risk metric",
                outcome: "unverified, bits neverSet, capture verified", expected: true)
        ]
    }

    private func text(_ report: SimulationReport, _ columns: Int?) -> String {
        report.text(on: Terminal(columns: columns, isTinted: false))
    }

    /// The lines below a heading up to the next empty one.
    private func tables(_ text: String) -> [Substring] {
        text.split(separator: "\n\n").filter { $0.contains("──") }.flatMap { $0.split(separator: "\n") }
    }

    @Test(arguments: [80, 129, 130, 179, 180, 200])
    func `tables of a simulation fit the terminal, with ids that other commands take`(columns: Int) throws {
        let report = SimulationReport(try result(), trust: trust, planned: 4, appleVectors: nil)
        let shown = text(report, columns)
        #expect(tables(shown).allSatisfy { DisplayWidth.of(String($0)) <= columns }, "\(shown)")
        for word in ["\(id)", "\(device)", "tampered depth", "SIGNATURE_INVALID", "same capture", "✗  103"] {
            #expect(shown.contains(word), "\(word): \(shown)")
        }
        // In full, wherever the table had to cut it.
        #expect(shown.contains("✗ capture 103, replayed: error no answer within 120 s; expected: COUNTER_REPLAY\n"))
    }

    @Test func `in a pipe the table of a simulation has everything`() throws {
        let shown = text(SimulationReport(try result(), trust: trust, planned: 4, appleVectors: nil), nil)
        for word in ["\(id)", "\(device)", "1234.5 ms", "medium", "COUNTER_REPLAY", "no answer within 120 s"] {
            #expect(shown.contains(word), "\(word): \(shown)")
        }
        #expect(shown.hasSuffix("\nNot every verdict was the expected one."))
    }

    @Test(arguments: [80, nil]) func `a simulation that has sent nothing has no tables and no word on verdicts`(
        columns: Int?
    ) {
        var away = SimulatedDeviceRecord(number: 1, expected: false)
        (away.reason, away.unreachable) = ("unreachable: Connection refused", true)
        let report = SimulationReport(
            Simulation.Result(devices: [away]), trust: [], planned: 4, appleVectors: nil)
        #expect(
            text(report, columns)
                == "✗ device 1: not registered: unreachable: Connection refused\nNo capture was sent.")
        #expect(report.isGatewayAway && !report.isWell)
    }

    @Test func `a simulation that was stopped tells what it sent, and judges no capture that has no verdict`() throws {
        let result = Simulation.Result(captures: [
            record(1, .genuine, .answered(try status(#""status": "verified", "confidence": "high""#))),
            record(2, .replayed, .stopped),
        ])
        let report = SimulationReport(result, trust: [], planned: 44, appleVectors: nil, isStopped: true)
        #expect(report.summary.unexpected == 0 && !report.summary.asExpected && report.summary.isStopped)
        let shown = text(report, 80)
        #expect(shown.hasSuffix("\nStopped: 2 of 44 captures were sent, 1 of them without a verdict yet."), "\(shown)")
        #expect(!shown.contains("✗") && shown.contains("…  2  \(id)  replayed  stopped"), "\(shown)")
        let json = try report.json()
        #expect(json.contains("\"stopped\" : true") || json.contains("\"stopped\": true"), "\(json)")
    }
}
