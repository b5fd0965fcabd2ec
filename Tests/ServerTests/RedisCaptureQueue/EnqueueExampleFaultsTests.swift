import CaptureModel
import Foundation
import NIOCore
import RedisClient
import TestSupport
import Testing

/// How the programs that show other languages how to hand captures off end where they cannot.
@Suite("The faults of the hand-off's examples", .timeLimit(.minutes(2)))
struct EnqueueExampleFaultsTests {
    private static let device = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"
    private static let capture = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e22"

    /// What a server says, and how the programs end for it.
    struct ServerError: CustomTestStringConvertible, Sendable {
        let message: String
        let exitCode: Int32

        init(_ message: String, _ exitCode: Int32) {
            self.message = message
            self.exitCode = exitCode
        }

        var testDescription: String { message }
    }

    /// The vector's capture, whose assertion `a` is handed on in base64.
    private static func files() throws -> ExampleFiles {
        try ExampleFiles(
            photo: Array("p".utf8), depth: Array("d".utf8), assertion: Array("YQ==".utf8), metadata: Array("{}".utf8))
    }

    /// Hands the vector's capture off at an address; ids in upper case are the same.
    private static func handOff(
        _ example: EnqueueExample, _ files: ExampleFiles, to url: String, environment: [String: String] = [:]
    ) async throws -> EnqueueExample.Answer {
        let (device, capture) = (device.uppercased(), capture.uppercased())
        switch example {
        case .python:
            return try await example.run(
                ["--redis", url, "--device", device, "--capture", capture] + files.pythonArguments,
                environment: environment)
        case .shell:
            let place = url.hasPrefix("unix://") ? "-s \(url.dropFirst(7))" : "-u \(url)"
            return try await example.run(
                [device] + files.shellArguments + [capture],
                environment: environment.merging(["REDIS_CLI": "redis-cli \(place)"]) { $1 })
        }
    }

    private static let broken = [
        "", "*2\r", "*2\r\n$8\r\naccepted\r\n", "*2\r\n$8\r\naccepted\r\n$36", "*2\r\n$8\r\naccep",
        "*2\r\n$8\r\naccepted\r\n$36\r\n0197f3a2-7f3e", "*2\r\n$8\r\naccepted\r\n$36\r\n\(capture)\r",
        "*x\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n",
    ]

    @Test(arguments: broken)
    func `a reply that breaks off is no success, and leaves the id for a retry`(reply: String) async throws {
        let files = try Self.files()
        defer { files.remove() }
        try await FakeRedis.with(logIn: nil, hangsUp: true, { _ in ByteBuffer(string: reply) }) { server in
            let answer = try await Self.handOff(.python, files, to: server.url)
            #expect(answer.exitCode == 75 && answer.told == CaptureID(Self.capture), "\(answer)")
            #expect(answer.lines.count == 1 && answer.output.contains("not known"), "\(answer)")
        }
    }

    private static let errors = [
        ServerError("OOM command not allowed when used memory > 'maxmemory'.", 75),
        ServerError("NOREPLICAS Not enough good replicas.", 75),
        ServerError("LOADING Redis is loading the dataset in memory", 75),
        ServerError("READONLY You can't write", 75),
        ServerError("MISCONF Redis is configured to save RDB snapshots", 75),
        ServerError("MASTERDOWN Link with MASTER is down", 75),
        ServerError("BUSY Redis is busy", 75),
        ServerError("TRYAGAIN Multiple keys request", 75),
        ServerError("CLUSTERDOWN The cluster is down", 75),
        ServerError("ERR Function not found", 75),
        ServerError("ERR max number of clients reached", 75),
        ServerError("UNBLOCKED force unblock from blocking operation", 75),
        ServerError("MISSING_BUNDLE photo", 75),
        ServerError("DAMAGED {cq:0}:ready is of the type string", 75),
        ServerError("INVALID binding: other", 65),
        ServerError("INVALID assertion: not 1 to 16384 bytes", 65),
        ServerError("INVALID metadata: not 1 to 65536 bytes", 65),
        ServerError("INVALID photo: not 1 to 268435456 bytes", 65),
        ServerError("INVALID depth: not 1 to 268435456 bytes", 65),
        ServerError("INVALID photo_bytes: too many", 65),
        ServerError("INVALID depth_bytes: too many", 65),
        ServerError("INVALID device: belongs to partition 7 of 8", 70),
        ServerError("INVALID KEYS[1]: should be another", 70),
        ServerError("INVALID KEYS: not the seven keys of a capture", 70),
        ServerError("INVALID arguments: photo is given twice", 70),
        ServerError("INVALID photo_bytes: 3 bytes are stored", 70),
        ServerError("OTHER_INSTALLATION {cq:0}:limits has the id of another", 70),
        ServerError("CONFLICT the capture id belongs to another bundle", 70),
        ServerError("NOPERM this user has no permissions", 70),
        ServerError("ERR unknown command 'FCALL'", 70),
    ]

    @Test(arguments: EnqueueExample.allCases, errors)
    func `an error ends them with one line, and with a code that says whose it is`(
        example: EnqueueExample, error: ServerError
    ) async throws {
        let files = try Self.files()
        defer { files.remove() }
        try await FakeRedis.with(logIn: nil, { _ in ByteBuffer(string: "-\(error.message)\r\n") }) { server in
            let answer = try await Self.handOff(example, files, to: server.url)
            #expect(answer.exitCode == error.exitCode && answer.told == CaptureID(Self.capture), "\(answer)")
            #expect(answer.lines == ["\(example.rawValue): \(error.message)"], "\(answer)")
        }
    }

    @Test(arguments: EnqueueExample.allCases)
    func `a server that is not there passes`(example: EnqueueExample) async throws {
        let files = try Self.files()
        defer { files.remove() }
        let place = files.directory.appending(path: "nobody").path
        let answer = try await Self.handOff(example, files, to: "unix://\(place)")
        #expect(answer.exitCode == 75 && answer.lines.count == 1, "\(answer)")
        #expect(answer.output.contains("not known") && answer.told == CaptureID(Self.capture), "\(answer)")
    }

    @Test(arguments: EnqueueExample.allCases)
    func `a server that hangs is not waited for longer than was asked for`(example: EnqueueExample) async throws {
        let files = try Self.files()
        defer { files.remove() }
        try await FakeRedis.with(logIn: nil, { _ in ByteBuffer() }) { server in
            let answer = try await Self.handOff(
                example, files, to: server.url, environment: ["CAPTURE_TIMEOUT": "2"])
            #expect(answer.exitCode == 75 && answer.output.contains("not known"), "\(answer)")
        }
    }

    @Test(arguments: EnqueueExample.allCases)
    func `a retry under the id that was told is the same capture, and other bytes under it are a fault`(
        example: EnqueueExample
    ) async throws {
        let server = try await PrivateRedis.start()
        let files = try Self.files()
        defer { files.remove() }
        try await QueueFixture.with(server) { fixture in
            for _ in 0..<2 {
                let answer = try await Self.handOff(example, files, to: server.url)
                #expect(answer.exitCode == 0 && answer.words == ["accepted", Self.capture], "\(answer)")
            }
            let digest = "f4511909f2f285a3e8f836b3abd18586fe673ce1c749bffd0de3befab110d823"
            #expect(try await fixture.redis("GET", .string("{cq:0}:accepted:\(digest)")).string == Self.capture)
            for part in ["assertion", "photo"] {
                try Data("b3RoZXI=".utf8).write(to: files.directory.appending(path: part))
                let other = try await Self.handOff(example, files, to: server.url)
                #expect(other.exitCode == 70 && other.lines.count == 1, "\(other)")
            }
        }
        try await server.stop()
    }

    /// As a gateway's rights may lack a command that only a retry needs.
    @Test func `an error of the shell example's last question is told as what it is, too`() async throws {
        let files = try Self.files()
        defer { files.remove() }
        let redis = files.directory.appending(path: "redis")
        try Data(
            #"""
            #!/bin/sh
            case " $* " in
            *" SET "*) cat >/dev/null; echo ;;
            *" GET "*) echo other ;;
            *" HGET "*) echo ;;
            *) echo "NOPERM this user has no permissions" >&2; exit 1 ;;
            esac
            """#.utf8
        ).write(to: redis)
        let answer = try await EnqueueExample.shell.run(
            [Self.device] + files.shellArguments + [Self.capture], environment: ["REDIS_CLI": "sh \(redis.path)"])
        #expect(answer.exitCode == 70 && answer.lines.count == 1, "\(answer)")
        #expect(answer.output == "enqueue.sh: NOPERM this user has no permissions", "\(answer)")
    }

    /// As where a deployment's secret is not set: another Redis may answer at the default.
    @Test(arguments: [(EnqueueExample.python, "CAPTURE_REDIS_URL", Int32(2)), (.shell, "REDIS_CLI", 64)])
    func `an address that is empty is not the default`(
        example: EnqueueExample, variable: String, exitCode: Int32
    ) async throws {
        let files = try Self.files()
        defer { files.remove() }
        let arguments =
            switch example {
            case .python: ["--device", Self.device] + files.pythonArguments
            case .shell: [Self.device] + files.shellArguments
            }
        let answer = try await example.run(arguments, environment: [variable: ""])
        #expect(answer.exitCode == exitCode && answer.told == nil, "\(answer)")
        #expect(answer.output.contains(variable) && answer.output.contains("is empty"), "\(answer)")
    }

    @Test func `bad usage is told before anything is sent`() async throws {
        let files = try Self.files()
        defer { files.remove() }
        for wrong in [["--partitions", "0"], ["--partitions", "3"], ["--capture", "1"]] {
            let answer = try await EnqueueExample.python.run(
                ["--device", Self.device] + files.pythonArguments + wrong)
            #expect(answer.exitCode == 2 && answer.told == nil, "\(answer)")
            #expect(answer.output.contains(wrong[0]) && !answer.output.contains("Traceback"), "\(answer)")
        }
        for (example, exitCode) in [(EnqueueExample.python, Int32(2)), (.shell, 64)] {
            for limit in ["0", "soon", "1e9", "10000"] {
                // A server that nobody asks.
                let answer = try await Self.handOff(
                    example, files, to: "redis://127.0.0.1:1", environment: ["CAPTURE_TIMEOUT": limit])
                #expect(answer.exitCode == exitCode && answer.told == nil, "\(answer)")
                #expect(answer.output.contains("CAPTURE_TIMEOUT"), "\(answer)")
            }
        }
        // A redis-cli that would be called leaves a file.
        let redis = files.directory.appending(path: "redis")
        let called = files.directory.appending(path: "called")
        try Data("#!/bin/sh\n: >'\(called.path)'; cat >/dev/null; echo OK\n".utf8).write(to: redis)
        func call(_ device: String, _ capture: String...) -> [String] { [device] + files.shellArguments + capture }
        let calls: [[String]] = [
            [], [Self.device] + files.shellArguments.dropLast(), [Self.device, "/", "/", "/", "/"],
            call("notauuid"), call(Self.device, "xx"), call(Self.device, "\(Self.capture)\nxx"),
            call(Self.device, Self.capture.replacing("-", with: "0")),
        ]
        for wrong in calls {
            let answer = try await EnqueueExample.shell.run(wrong, environment: ["REDIS_CLI": "sh \(redis.path)"])
            #expect(answer.exitCode == 64 && answer.told == nil && answer.lines.count == 1, "\(answer)")
        }
        #expect(!FileManager.default.fileExists(atPath: called.path))
    }
}
