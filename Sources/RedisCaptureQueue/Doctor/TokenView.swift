import CaptureModel
import CaptureQueue
import RedisClient

/// The doctor's view of one partition's tokens, read in pages while they come and go.
struct TokenView {
    /// The stream's tokens by device, up to ``since``; some may be gone by now.
    private(set) var tokens: [DeviceID: [String]] = [:]
    /// Tokens that name no device.
    private(set) var nameless: [String] = []
    /// The pending tokens, which workers hold.
    private(set) var pending: [String: Duration] = [:]
    private(set) var delayed: Set<DeviceID> = []
    /// The last token that has been read, with all before it.
    private(set) var since = "0-0"
    /// The group's last delivered token when the pending ones were read; `nil` without a group.
    private var lastDelivered: StreamID?
    private var seen: Set<String> = []

    private let keys: PartitionKeys
    private static let page = 1000

    init(_ keys: PartitionKeys) {
        self.keys = keys
    }

    /// Reads everything once.
    mutating func read(_ queue: RedisCaptureQueue) async throws(QueueError) {
        try await catchUp(queue)
        lastDelivered = try await StreamID.lastDelivered(in: queue.groupInfo("GROUPS", keys))
        try await readPending(queue)
        try await readDelayed(queue)
    }

    /// Reads the tokens that came after ``since``.
    ///
    /// It stops at the token that was the last when it began, as a busy stream has no end.
    mutating func catchUp(_ queue: RedisCaptureQueue) async throws(QueueError) {
        let newest = try await queue.send([
            RedisCommand("XREVRANGE", [.string(keys.ready), "+", "-", "COUNT", 1])
        ])
        guard let last = newest[0].array?.first?.array?.first?.string else { return }
        while since != last {
            let reply = try await queue.send([
                RedisCommand(
                    "XRANGE",
                    [.string(keys.ready), .string("(" + since), .string(last), "COUNT", .integer(Self.page)])
            ])
            let entries = reply[0].array ?? []
            for entry in entries { note(entry.array ?? []) }
            guard entries.count == Self.page, let token = entries.last?.array?.first?.string else { break }
            since = token
        }
        since = last
    }

    private mutating func note(_ entry: [RedisValue]) {
        guard let token = entry.first?.string else { return }
        let fields = entry.last?.array?.map { $0.string ?? "" } ?? []
        seen.insert(token)
        if let index = fields.firstIndex(of: "device"), index % 2 == 0, index + 1 < fields.count,
            let device = DeviceID(fields[index + 1])
        {
            tokens[device, default: []].append(token)
        } else {
            nameless.append(token)
        }
    }

    private mutating func readPending(_ queue: RedisCaptureQueue) async throws(QueueError) {
        var from = "-"
        while true {
            let rows: [RedisValue]
            do throws(QueueError) {
                rows =
                    try await queue.send([
                        RedisCommand(
                            "XPENDING",
                            [
                                .string(keys.ready), .string(Keyspace.group), .string(from), "+",
                                .integer(Self.page),
                            ])
                    ])[0].array ?? []
            } catch  where error.message.hasPrefix("NOGROUP") {
                return
            }
            for row in rows {
                guard let fields = row.array, fields.count == 4, let token = fields[0].string else { continue }
                pending[token] = .milliseconds(fields[2].int ?? 0)
                if !seen.contains(token) { nameless.append(token) }
                from = "(" + token
            }
            if rows.count < Self.page { return }
        }
    }

    private mutating func readDelayed(_ queue: RedisCaptureQueue) async throws(QueueError) {
        try await queue.functions.client.scan("ZSCAN", [.string(keys.delayed)]) { items in
            delayed.formUnion(items.pairs.compactMap { DeviceID($0.name) })
        }
    }

    /// Devices whose lane and tokens do not seem to fit together.
    func suspects(lanes: Set<DeviceID>) -> Set<DeviceID> {
        var suspects = lanes.filter { count($0) != 1 }
        suspects.formUnion(tokens.keys.filter { !lanes.contains($0) })
        suspects.formUnion(delayed.subtracting(lanes))
        // Delivered but not pending.
        let lost = tokens.filter { entry in
            entry.value.contains { pending[$0] == nil && isDelivered($0) }
        }
        suspects.formUnion(lost.keys)
        return suspects
    }

    private func isDelivered(_ token: String) -> Bool {
        guard let lastDelivered, let id = StreamID(token) else { return false }
        return id <= lastDelivered
    }

    private func count(_ device: DeviceID) -> Int {
        tokens[device, default: []].count + (delayed.contains(device) ? 1 : 0)
    }
}
