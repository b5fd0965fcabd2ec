import CaptureModel
import Foundation
import TestSupport

/// Reads what is left in Redis, with redis-cli and not with the system's own client.
struct QueueReader: Sendable {
    let redis: PrivateRedis
    /// How many partitions the queue has.
    let partitions: Int

    init(_ stage: Stage) {
        (redis, partitions) = (stage.redis, stage.partitions)
    }

    /// Keys that stay for good, whatever they hold.
    private static let permanent = [":ready", ":stats", ":limits", ":restored", ":workers"]

    /// Keys that no expiry removes.
    private static let keysWithoutExpiry = """
        local found, cursor = {}, '0'
        repeat
          local reply = redis.call('SCAN', cursor, 'COUNT', 1000)
          cursor = reply[1]
          for _, key in ipairs(reply[2]) do
            if redis.call('PTTL', key) == -1 then found[#found + 1] = key end
          end
        until cursor == '0'
        return found
        """

    /// What should be gone when everything is settled; dead letters' own keys do not count.
    func leftovers(besides dead: Set<CaptureID>) async throws -> [String] {
        let kept = Set(dead.map(\.description))
        var leftovers = try await lines("EVAL", Self.keysWithoutExpiry, "0").filter { key in
            !Self.permanent.contains(where: key.hasSuffix) && !(key.hasSuffix(":dead") && !dead.isEmpty)
                && !kept.contains(String(key.suffix(36)))
        }
        for partition in 0..<partitions {
            let tokens = try await lines("XLEN", key("ready", partition)).first ?? "0"
            if tokens != "0" { leftovers.append("\(tokens) tokens in \(key("ready", partition))") }
            for field in ["queued", "bytes"] {
                let number = try await figure(field, partition)
                guard number != "0", dead.isEmpty || field == "queued" else { continue }
                leftovers.append("\(key("stats", partition)) \(field) = \(number)")
            }
        }
        return leftovers
    }

    /// The dead letters.
    func dead() async throws -> Set<CaptureID> {
        var dead: Set<CaptureID> = []
        for partition in 0..<partitions {
            dead.formUnion(try await lines("ZRANGE", key("dead", partition), "0", "-1").compactMap { CaptureID($0) })
        }
        return dead
    }

    /// Whether no lane holds a capture and no token is anywhere.
    func isDrained() async throws -> Bool {
        for partition in 0..<partitions {
            guard try await figure("queued", partition) == "0" else { return false }
        }
        return try await lines("--scan", "--pattern", "{cq:*}:lane:*").isEmpty
    }

    /// What Redis knows of a capture.
    func job(_ capture: CaptureID) async throws -> String {
        var known: [String] = []
        for partition in 0..<partitions {
            known += try await lines("HGETALL", key("job:\(capture)", partition)).filter { $0.utf8.count < 200 }
            known += try await lines("GET", key("settled:\(capture)", partition))
        }
        return known.joined(separator: " ")
    }

    private func key(_ name: String, _ partition: Int) -> String { "{cq:\(partition)}:\(name)" }

    private func figure(_ field: String, _ partition: Int) async throws -> String {
        try await lines("HGET", key("stats", partition), field).first ?? "0"
    }

    private func lines(_ arguments: String...) async throws -> [String] {
        let result = try await LeashedProcess.run("redis-cli", redis.cliAddress + ["-e"] + arguments)
        guard result.exitCode == 0 else { throw LeashedProcess.Failure(description: result.output) }
        return result.output.split(separator: "\n").map(String.init)
    }
}
