package import CaptureQueue
package import RedisClient

/// How much of its memory Redis has taken, as it counts it against `maxmemory`.
package struct RedisMemory: Sendable, Equatable {
    /// What is taken, in bytes, without the buffers for replicas and for the append-only file.
    package let taken: Int
    /// `maxmemory`, in bytes; 0 where there is no bound.
    package let limit: Int

    /// Reads them; `nil` if the server does not tell.
    package static func read(from client: RedisClient) async throws(QueueError) -> Self? {
        do throws(QueueError) {
            return Self(info: try await client.info(["memory"]))
        } catch {
            guard error.code == .refused else { throw error }
            return nil
        }
    }

    /// Reads them in the fields of `INFO`; `nil` if one is missing.
    init?(info: [String: String]) {
        guard let used = info["used_memory"].flatMap({ Int($0) }), let limit = info["maxmemory"].flatMap({ Int($0) })
        else { return nil }
        taken = used - (info["mem_not_counted_for_evict"].flatMap { Int($0) } ?? 0)
        self.limit = limit
    }
}
