import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Redis refuses to read a key of another type: one that somebody has written by hand must not hide the other faults.
@Suite("The doctor and keys of another type", .timeLimit(.minutes(3)))
struct DoctorOfDamagedKeysTests {
    /// A key that is damaged by hand.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Writes a value of a type that the key has not.
        var write = "SET"
        let key: @Sendable (QueueWard) -> String

        init(_ description: String, writing write: String = "SET", _ key: @escaping @Sendable (QueueWard) -> String) {
            testDescription = description
            self.write = write
            self.key = key
        }

        /// Keys that each partition has one of.
        static let shared = [
            Damage("ready") { $0.keys.ready }, Damage("delayed") { $0.keys.delayed }, Damage("heads") { $0.keys.heads },
            Damage("lane_bytes") { $0.keys.laneBytes }, Damage("dead") { $0.keys.dead },
            Damage("stats") { $0.keys.stats }, Damage("limits") { $0.keys.limits },
            Damage("workers") { "{\($0.fixture.keyspace.queue):0}:workers" },
            Damage("restored", writing: "RPUSH") { "{\($0.fixture.keyspace.queue):0}:restored" },
        ]
        static let single = [
            Damage("a lane that waits") { $0.keys.lane($0.waiting[0].device) },
            Damage("a lane that is held") { $0.keys.lane($0.held[0].device) },
            Damage("a lane that is put off") { $0.keys.lane($0.delayed.device) },
            Damage("a status", writing: "RPUSH") { $0.keys.settled($0.settled.id) },
            Damage("a known bundle", writing: "RPUSH") { $0.keys.accepted($0.waiting[0].bundleDigest) },
            Damage("a photo", writing: "RPUSH") { $0.keys.photo($0.waiting[0].id) },
            Damage("the counts of a minute") { "{\($0.fixture.keyspace.queue):0}:tally:minute:1" },
        ]

        /// Sets the key aside, and writes another type in its place; returns its name.
        func inflict(_ ward: QueueWard) async throws -> String {
            let key = key(ward)
            if try await ward.fixture.redis("EXISTS", .string(key)).int == 1 {
                try await ward.redis("RENAME", .string(key), .string(aside(ward)))
            }
            try await ward.redis(write, .string(key), "damaged")
            return key
        }

        /// Puts back what was set aside.
        func undo(_ ward: QueueWard) async throws {
            try await ward.redis("DEL", .string(key(ward)))
            if try await ward.fixture.redis("EXISTS", .string(aside(ward))).int == 1 {
                try await ward.redis("RENAME", .string(aside(ward)), .string(key(ward)))
            }
        }

        private func aside(_ ward: QueueWard) -> String { "{\(ward.fixture.keyspace.queue):0}:aside" }
    }

    private func seen(_ findings: [QueueFinding]) -> Set<String> {
        Set(findings.map { "\($0.fault.rawValue) \($0.subject)" })
    }

    @Test(arguments: Damage.shared + Damage.single)
    func `the doctor names keys of another type, and finds what else is wrong`(damage: Damage) async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            let bytes = "JOB_WITHOUT_BYTES \(ward.waiting[1].id)"
            try await ward.redis("DEL", .string(ward.keys.photo(ward.waiting[1].id)))
            let key = try await damage.inflict(ward)
            let doctor = QueueDoctor(queue: fixture.queue())
            let before = try await doctor.examine()
            #expect(seen(before.findings) == ["KEY_OF_WRONG_TYPE \(key)", bytes])
            #expect(before.waiting.count == 6 && before.failed.count == 1)
            #expect(try await doctor.mend(before.findings) == [])
            #expect(try await doctor.recount(before))
            try await damage.undo(ward)
            #expect(seen(try await doctor.examine().findings) == [bytes], "nothing was changed")
        }
    }

    @Test(arguments: Damage.shared.prefix(6) + Damage.single.prefix(1), [true, false])
    func `the doctor mends what stands beside a lane's key, and nothing beside one that all captures need`(
        damage: Damage, isForgotten: Bool
    ) async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            if isForgotten {
                try await ward.redis("DEL", .string(ward.keys.accepted(ward.held[0].bundleDigest)))
            } else {
                try await ward.redis("PEXPIRE", .string(ward.keys.job(ward.waiting[2].id)), 600_000)
            }
            let key = try await damage.inflict(ward)
            let doctor = QueueDoctor(queue: fixture.queue())
            let examination = try await doctor.examine()
            let fault = isForgotten ? QueueFault.bundleNotKnown : .keptWithEnd
            #expect(Set(examination.findings.map(\.fault)) == [.keyOfWrongType, fault])
            let isShared = key != ward.keys.lane(ward.waiting[0].device)
            #expect(examination.mendable.map(\.fault) == (isShared ? [] : [fault]))
            #expect(try await doctor.mend(examination.findings).map(\.fault) == (isShared ? [] : [fault]))
            try await damage.undo(ward)
            #expect(try await doctor.examine().findings.map(\.fault) == (isShared ? [fault] : []))
        }
    }

    @Test func `the doctor puts a lane's captures back once its key is renamed`() async throws {
        try await QueueFixture.with { fixture in
            let ward = try await QueueWard(fixture)
            let damage = Damage.single[0]
            let key = try await damage.inflict(ward)
            try await ward.redis("RENAME", .string(key), .string("{\(fixture.keyspace.queue):0}:strange"))
            let doctor = QueueDoctor(queue: fixture.queue())
            var examination = try await doctor.examine()
            for _ in 0..<2 {
                _ = try await doctor.mend(examination.findings)
                examination = try await doctor.examine()
            }
            #expect(try await doctor.recount(examination))
            #expect(try await doctor.examine().findings == [])
            #expect(try await fixture.redis("LLEN", .string(key)).int == ward.waiting.count)
        }
    }
}
