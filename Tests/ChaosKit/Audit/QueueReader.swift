import CaptureModel
import Foundation
import TestSupport

/// Reads what is left in Redis, with redis-cli and not with the system's own client.
struct QueueReader: Sendable {
    let redis: PrivateRedis

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
        let tokens = try await lines("XLEN", "{cq:0}:ready").first ?? "0"
        if tokens != "0" { leftovers.append("\(tokens) tokens in the ready stream") }
        for field in ["queued", "bytes"] {
            let number = try await lines("HGET", "{cq:0}:stats", field).first ?? "0"
            if number != "0", dead.isEmpty || field == "queued" { leftovers.append("stats \(field) = \(number)") }
        }
        return leftovers
    }

    /// The dead letters.
    func dead() async throws -> Set<CaptureID> {
        Set(try await lines("ZRANGE", "{cq:0}:dead", "0", "-1").compactMap { CaptureID($0) })
    }

    /// Whether no lane holds a capture and no token is anywhere.
    func isDrained() async throws -> Bool {
        let queued = try await lines("HGET", "{cq:0}:stats", "queued").first ?? "0"
        let lanes = try await lines("--scan", "--pattern", "{cq:0}:lane:*")
        return queued == "0" && lanes.isEmpty
    }

    /// What Redis knows of a capture.
    func job(_ capture: CaptureID) async throws -> String {
        let job = try await lines("HGETALL", "{cq:0}:job:\(capture)").filter { $0.utf8.count < 200 }
        return (job + (try await lines("GET", "{cq:0}:settled:\(capture)"))).joined(separator: " ")
    }

    private func lines(_ arguments: String...) async throws -> [String] {
        let result = try await LeashedProcess.run("redis-cli", redis.cliAddress + ["-e"] + arguments)
        guard result.exitCode == 0 else { throw LeashedProcess.Failure(description: result.output) }
        return result.output.split(separator: "\n").map(String.init)
    }
}
