import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport

extension Stack {
    /// Runs `capturectl` against this stack; no terminal is there.
    func capturectl(_ arguments: String...) async throws -> (exitCode: Int32, output: String) {
        try await capturectl(arguments)
    }

    /// The same with settings that are not the stack's.
    func capturectl(
        _ arguments: [String], settings: [String: String] = [:]
    ) async throws -> (exitCode: Int32, output: String) {
        try await LeashedProcess.run(
            Programs.path("capturectl"), arguments, environment: environment.merging(settings) { $1 })
    }

    /// Runs `capturectl … --json` and reads what it prints.
    func capturectlJSON(_ arguments: String...) async throws -> (exitCode: Int32, object: [String: Any]) {
        let run = try await capturectl(arguments + ["--json"])
        // The object is the last line; before it may be what the command says on the error stream.
        let line = run.output.split(separator: "\n").last ?? ""
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return (run.exitCode, object ?? [:])
    }
}

extension RedisCaptureQueue {
    /// Gives the captures at the head of all lanes up, as a worker does that has no attempts left.
    func bury(fault: String, reason: Reason = .attemptsExhausted) async throws -> [CaptureID] {
        var buried: [CaptureID] = []
        for lease in try await claim(lanesMax: 100, capturesPerLaneMax: 100, wait: .zero) {
            let items = lease.jobs.map {
                LaneSettlement.Item(id: $0.id, disposition: .dead(reason, fault: fault))
            }
            _ = try await settle([
                LaneSettlement(token: lease.token, device: lease.device, items: items, continuation: .ready)
            ])
            buried += items.map(\.id)
        }
        return buried
    }
}
