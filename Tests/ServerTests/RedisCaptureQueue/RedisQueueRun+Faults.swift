import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport

extension RedisQueueRun {
    /// What is not as it must be.
    func faults() async throws -> [String] {
        var faults = faultsMet
        var tokens: [String: Int] = [:]
        var bytesKept = 0
        for keys in fixture.keyspace.all {
            for entry in try await fixture.redis("XRANGE", .string(keys.ready), "-", "+").array ?? [] {
                tokens[entry.array?.last?.array?.last?.string ?? "", default: 0] += 1
            }
            for device in try await fixture.redis("ZRANGE", .string(keys.delayed), 0, -1).array ?? [] {
                tokens[device.string ?? "", default: 0] += 1
            }
        }
        for device in devices {
            let key = fixture.keyspace.partition(of: device).lane(device)
            let lane = try await fixture.redis("LRANGE", .string(key), 0, -1).array?.compactMap(\.string) ?? []
            let expected = lanes[device, default: []].map(\.description)
            if lane != expected { faults.append("a lane holds \(lane.count) and should hold \(expected.count)") }
            let count = tokens[device.description, default: 0]
            if count != (lane.isEmpty ? 0 : 1) { faults.append("\(count) tokens for a lane of \(lane.count)") }
        }
        for key in try await fixture.keys() where key.contains(":photo:") {
            bytesKept += 1
            if try await fixture.redis("PTTL", .string(key)).int != -1 { faults.append("bytes with an expiry: \(key)") }
        }
        let queued = lanes.values.reduce(0) { $0 + $1.count }
        if bytesKept != queued + dead.count { faults.append("bytes of \(bytesKept) captures") }
        if queued + dead.count + settled.count + discarded != accepted.count { faults.append("lost or doubled") }
        return faults + (try await statsFaults(queued: queued)) + (try await headFaults())
            + (try await laneBytesFaults())
    }

    /// Every lane's bytes are counted, and of empty ones nothing is left.
    private func laneBytesFaults() async throws -> [String] {
        var counted: [String: Int] = [:]
        for keys in fixture.keyspace.all {
            let entries = try await fixture.redis("HGETALL", .string(keys.laneBytes)).array ?? []
            for index in stride(from: 0, to: entries.count - 1, by: 2) {
                counted[entries[index].string ?? ""] = entries[index + 1].int
            }
        }
        let filled = lanes.filter { !$0.value.isEmpty }
        let expected = Dictionary(uniqueKeysWithValues: filled.map { ($0.key.description, $0.value.count * 5) })
        return counted == expected ? [] : ["the lanes' bytes are \(counted) and should be \(expected)"]
    }

    /// Every lane is noted with the time since which its first capture waits, and the oldest is the queue's age.
    private func headFaults() async throws -> [String] {
        var noted: [String: Int] = [:]
        for keys in fixture.keyspace.all {
            let entries = try await fixture.redis("ZRANGE", .string(keys.heads), 0, -1, "WITHSCORES").array ?? []
            for index in stride(from: 0, to: entries.count - 1, by: 2) {
                noted[entries[index].string ?? ""] = entries[index + 1].int
            }
        }
        var waiting: [String: Int] = [:]
        for device in devices {
            guard let head = lanes[device]?.first else { continue }
            let job = fixture.keyspace.partition(of: device).job(head)
            let times = try await fixture.redis("HMGET", .string(job), "put_back_at", "received_at").array ?? []
            waiting[device.description] = times.lazy.compactMap(\.int).first
        }
        guard noted == waiting else { return ["heads are \(noted) and should be \(waiting)"] }
        let before = try await fixture.queue().serverTime()
        let age = try await fixture.queue().load().oldestLaneAge
        let after = try await fixture.queue().serverTime()
        guard let oldest = waiting.values.min().map({ Timestamp(millisecondsSince1970: Int64($0)) }) else {
            return age == nil ? [] : ["an empty queue is \(age as Any) old"]
        }
        // The clock that was read has microseconds, and the age has not.
        let least = before.since(oldest) - .milliseconds(1)
        guard let age, age >= least, age <= after.since(oldest) else { return ["the queue is \(age as Any) old"] }
        return []
    }

    private func statsFaults(queued: Int) async throws -> [String] {
        let load = try await fixture.queue().load()
        let counters = try await fixture.queue().counters()
        let levels: [(String, Int, Int)] = [
            ("captures", load.captures, queued), ("bytes", load.bytes, queued * 5),
            ("dead letters", load.deadLetters, dead.count),
            ("dead bytes", counters["dead_bytes", default: 0], dead.count * 5),
            ("accepted", counters["accepted", default: 0], accepted.count),
            ("verified", counters["verified", default: 0], settled.count),
            ("discarded", counters["discarded", default: 0], discarded),
        ]
        return levels.filter { $0.1 != $0.2 }.map { "\($0.0): \($0.1) instead of \($0.2)" }
    }
}
