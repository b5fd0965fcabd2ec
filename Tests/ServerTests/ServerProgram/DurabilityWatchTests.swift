import CaptureModel
import PostgresCaptureStore
import PostgresClient
import RedisCaptureQueue
import RedisClient
import Synchronization
import TestSupport
import Testing

@Suite("A program that runs", .timeLimit(.minutes(2)))
struct DurabilityWatchTests {
    private let program = CheckedProgram()
    private var recorder: LogRecorder { program.recorder }

    private static let loss = "error accepted captures could be lost"
    private static let over = "notice a server is as it should be again"

    /// As after a failover to a replica that was configured otherwise.
    @Test func `a program tells once when Redis gets settings that lose captures, and once when they are right again`()
        async throws
    {
        let (loss, over) = (Self.loss, Self.over)
        try await program.whileChecked { fixture, _ in
            #expect(try losses() == "0")
            try await fixture.redis("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
            try await eventually { recorder.lines == [loss] }
            // By its line the one before has been met again.
            try await fixture.redis("CONFIG", "SET", "appendfsync", "everysec")
            try await eventually { recorder.lines == [loss, loss] }
            try await eventually { try losses() == "2" }
            try await fixture.redis("CONFIG", "SET", "maxmemory-policy", "noeviction")
            try await eventually { recorder.values(of: "setting") == ["Redis's maxmemory-policy"] }
            try await fixture.redis("CONFIG", "SET", "appendfsync", "always")
            try await eventually { recorder.values(of: "setting").count == 2 }
            try await eventually { try losses() == "0" }
            #expect(recorder.lines == [loss, loss, over, over])
        }
        let told = recorder.values(of: "problem")
        #expect(told.count == 2 && told[0].contains("maxmemory-policy is allkeys-lru"))
        #expect(told[1].contains("appendfsync is everysec"))
    }

    /// As after a failover to a standby that was configured otherwise.
    @Test func `a program that runs tells the same of PostgreSQL`() async throws {
        try await program.whileChecked { _, postgres in
            try await postgres.psql("ALTER SYSTEM SET fsync = off")
            try await postgres.psql("SELECT pg_reload_conf()")
            try await eventually { recorder.lines == [Self.loss] }
            try await eventually { try losses() == "1" }
            try await postgres.psql("ALTER SYSTEM RESET fsync")
            try await postgres.psql("SELECT pg_reload_conf()")
            try await eventually { recorder.lines == [Self.loss, Self.over] }
            try await eventually { try losses() == "0" }
        }
        #expect(recorder.values(of: "problem").first?.contains("PostgreSQL's fsync is off") == true)
    }

    @Test func `a program that runs tells how full Redis is, and what it may take by now`() async throws {
        try await program.whileChecked { fixture, _ in
            try await eventually { try gauge("capture_redis_memory_bytes_max") == Double(8 << 30) }
            let taken = try #require(try gauge("capture_redis_memory_bytes"))
            #expect(taken > 0)
            try await fixture.redis("CONFIG", "SET", "maxmemory", "9gb")
            try await eventually { try gauge("capture_redis_memory_bytes_max") == Double(9 << 30) }
        }
    }

    /// What the program's own certificates are found to be.
    private final class Certificates: Sendable {
        private let state = Mutex<(found: [SettingProblem], looks: Int)>(([], 0))

        /// How often they were looked at.
        var looks: Int { state.withLock { $0.looks } }

        func put(_ found: [SettingProblem]) { state.withLock { $0.found = found } }

        func look() -> [SettingProblem] {
            state.withLock { state in
                state.looks += 1
                return state.found
            }
        }
    }

    @Test func `a program tells once of a certificate that ends soon, at its start or later, and of its renewal`()
        async throws
    {
        let (precaution, over) = ("warning a setting invites trouble", Self.over)
        let ending = SettingProblem(
            setting: "redis.tlsCertificate", value: "good until tomorrow", needed: "renewed", consequence: "it ends",
            gravity: .precaution)
        let certificates = Certificates()
        certificates.put([ending])
        try await program.whileChecked(certificates: { _ in certificates.look() }) { _, _ in
            try await eventually { try problems(.precaution) == "1" }
            #expect(recorder.lines == [precaution])
            // As a figure that each look counts anew.
            certificates.put([
                SettingProblem(
                    setting: ending.setting, value: ending.value, needed: "renewed by now",
                    consequence: ending.consequence, gravity: .precaution)
            ])
            let looks = certificates.looks
            try await eventually { certificates.looks > looks + 1 }
            #expect(recorder.lines == [precaution])
            certificates.put([])
            try await eventually { try problems(.precaution) == "0" }
            #expect(recorder.lines == [precaution, over])
            certificates.put([ending])
            try await eventually { try problems(.precaution) == "1" }
            #expect(recorder.lines == [precaution, over, precaution])
        }
        #expect(Set(recorder.values(of: "problem")) == ["\(ending)"])
    }

    /// An alert stands on the gauge: at `relaxed` nothing of it was promised.
    @Test func `a program that runs counts no loss at relaxed, and tells of it`() async throws {
        try await program.whileChecked(level: .relaxed) { fixture, _ in
            try await fixture.redis("CONFIG", "SET", "appendfsync", "everysec")
            try await eventually { recorder.lines == [Self.loss] }
            // By the second line the first look has been counted.
            try await fixture.redis("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
            try await eventually { recorder.lines == [Self.loss, Self.loss] }
            #expect(try losses() == "0")
        }
    }

    /// As by an older program that looked at the same moment, and loaded its own behind this one's.
    @Test func `a program that runs loads its function library again where an older one has replaced it`() async throws
    {
        try await program.whileChecked { fixture, _ in
            let own = FunctionLibrary.current
            let older = own.source.replacing(
                "local LIBRARY_VERSION = \(own.version)", with: "local LIBRARY_VERSION = 1")
            try await fixture.redis("FUNCTION", "LOAD", "REPLACE", .string(older))
            try await eventually { try await own.presence(on: fixture.client) == .current }
            try await eventually { recorder.values(of: "version") == ["1"] }
        }
    }

    private func gauge(_ name: String) throws -> Double? {
        try program.exposition().value(name, [:]).flatMap { Double($0) }
    }

    private func losses() throws -> String? { try problems(.loss) }

    private func problems(_ gravity: SettingProblem.Gravity) throws -> String? {
        try program.exposition().value("capture_durability_problems", ["gravity": gravity.rawValue])
    }
}
