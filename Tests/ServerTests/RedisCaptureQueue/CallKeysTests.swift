import CaptureModel
import CaptureQueue
import Foundation
import RedisCaptureQueue
import RedisClient
import TestSupport
import Testing

/// Keys that no program of ours would make, as a gateway in another language may.
@Suite("Keys of a call", .timeLimit(.minutes(2)))
struct CallKeysTests {
    private static let numbers = ["00", "01", "-0", " 0", "0x0", "1.0", "a", "", "99999999999999999999"]

    /// Nobody reads the keys of such a partition: the capture was accepted, and lost.
    @Test(arguments: numbers)
    func `a partition whose number is written otherwise takes no capture`(number: String) async throws {
        try await QueueFixture.with { fixture in
            var maker = SubmissionMaker(seed: 180)
            var call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            call.keys = call.keys.map { $0.replacing(":0}:", with: ":\(number)}:") }
            let reply = try await fixture.client.pipeline([call.command])[0]
            #expect(reply.error?.message.hasPrefix("INVALID KEYS: not the seven keys") == true, "\(reply)")
            #expect(try await fixture.keys().isEmpty)
        }
    }

    @Test(arguments: numbers, ["capture_claim_v1", "capture_dead_v1", "capture_restoration_v1"])
    func `a partition whose number is written otherwise is none to any function`(
        number: String, function: String
    ) async throws {
        try await QueueFixture.with { fixture in
            let ready = fixture.keyspace[0].ready.replacing(":0}:", with: ":\(number)}:")
            let command = RedisCommand("FCALL", [.string(function), 1, .string(ready), "1", "1", "1"])
            let reply = try await fixture.client.pipeline([command])[0]
            #expect(reply.error?.message == "INVALID KEYS[1]: not a ready stream", "\(reply)")
            #expect(try await fixture.keys().isEmpty)
        }
    }

    /// A gateway that misspells it would believe that its captures go into no other installation's queue.
    @Test(arguments: [
        "inst", "instalation:<id>", "installation:", "installation:<ID>", "installation:<id>x", "installation:x<id>",
    ])
    func `an eighth key that does not name an installation is refused`(name: String) async throws {
        try await QueueFixture.with { fixture in
            let id = InstallationID(UUID())
            try await fixture.redis("HSET", .string(fixture.keyspace[0].limits), "installation", .string("\(id)"))
            let before = try await fixture.keys()
            var maker = SubmissionMaker(seed: 181)
            let call = EnqueueCall(maker.submission(of: maker.device()), keyspace: fixture.keyspace)
            let tag = "{\(fixture.keyspace.queue):0}:"
            let word = name.replacing("<id>", with: "\(id)").replacing("<ID>", with: "\(id)".uppercased())
            for key in [tag + word, "{\(fixture.keyspace.queue):1}:installation:\(id)"] {
                var named = call
                named.keys.append(key)
                let reply = try await fixture.client.pipeline([named.command])[0]
                #expect(reply.error?.message == "INVALID KEYS[8]: should be \(tag)installation:<id>", "\(reply)")
            }
            #expect(try await fixture.keys() == before)
            var named = call
            named.keys.append("\(tag)installation:\(id)")
            #expect(try await fixture.client.send(named.command).array?.first?.string == "accepted")
        }
    }
}
