import Foundation
import TestSupport
import Testing

@testable import PrivateServers

/// Functions of `Config/local/stack.sh`, which `make run` and `make up` are made of.
@Suite("The local stack's script", .timeLimit(.minutes(1)))
struct StackScriptTests {
    @Test func `the gateway is asked past the user's proxy, and not for longer than a moment`() async throws {
        let run = try await StackScript.run(
            "address=http://127.0.0.1:1; is_ready", programs: ["curl": #"echo "$*" >>calls"#])
        #expect(run.calls == "--noproxy * --max-time 2 -fsS http://127.0.0.1:1/readyz\n", "\(run.output)")
        let script = try Repository.text("Config/local/programs.sh")
        #expect(script.contains("wait_for gateway \"the gateway\" 20 is_ready\n"))
        #expect(script.matches(of: /\bcurl\b/).count == 1)
    }

    /// As with a newer client's package beside Debian's own server.
    @Test func `PostgreSQL is taken of the newest version that has a server, here and in the tests`() async throws {
        let run = try await StackScript.run(
            """
            mkdir -p pg/9/bin pg/15/bin pg/17/bin; touch pg/9/bin/postgres pg/15/bin/postgres pg/17/bin/psql
            newest_postgres pg; echo "none: '$(newest_postgres nowhere)'"
            """)
        #expect(run.output == "pg/15/bin\nnone: ''", "\(run.output)")
        let folder = try TemporaryDirectory.make("versions")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (version, program) in [("9", "postgres"), ("15", "postgres"), ("17", "psql")] {
            let programs = folder.appendingPathComponent("\(version)/bin")
            try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
            try Data().write(to: programs.appendingPathComponent(program))
        }
        #expect(PrivatePostgres.newestPrograms(in: folder.path) == "\(folder.path)/15/bin")
        #expect(PrivatePostgres.newestPrograms(in: "/nowhere") == nil)
    }

    @Test func `what has the operator's token in it is nobody else's from the beginning`() async throws {
        let run = try await StackScript.run(
            """
            umask 022; bin=bin; address=http://127.0.0.1:1; echo token >operator.token
            for name in CAPTURE_CONFIG CAPTURE_APP_IDS CAPTURE_APP_ENVIRONMENTS CAPTURE_APP_ROOTS; do export $name=x; done
            chmod() { :; }
            echo older >environment
            note_environment
            stat -c %a environment
            """)
        #expect(run.output.hasSuffix("600"), "\(run.output)")
        #expect(run.files["environment"]?.contains("export CAPTURE_TOKEN='token'\n") == true)
        #expect(try Repository.text("Config/local/programs.sh").contains("    note_environment\n}\n"))
    }

    @Test func `a checkout whose path has a comma is refused before a program is given half of it`() async throws {
        let run = try await StackScript.run(
            "home=\"$PWD/a,b\"; programs_up 1", programs: ["capturectl": "echo called >calls"])
        #expect(run.output.hasSuffix("a,b has a comma, at which lists of settings are divided: move the checkout"))
        #expect(run.calls.isEmpty)
    }

    /// The gateway's root has no page: who opens the bare address gets 404.
    @Test(arguments: ["up", "run"]) func `beside the gateway's address stands one that answers`(script: String) throws {
        let script = try Repository.text("Config/local/\(script).sh")
        #expect(script.contains("$address (OpenAPI at $address/openapi.json)"))
    }

    /// A real phone's evidence, beside that of simulated devices.
    @Test func `make run has Apple's vectors verified where they are at hand`() throws {
        let script = try Repository.text("Config/local/run.sh")
        #expect(script.contains("\nvectors=${CAPTURE_VECTORS_DIR:-../shared/vectors}\n"))
        #expect(script.contains("\nif [ -d \"$vectors\" ]; then apple=(--vectors \"$vectors\"); fi\n"))
        #expect(script.contains(" \"${apple[@]}\" || verdict=$?\n"))
    }

    /// A capturectl with another number of partitions is refused, and one without the store's folder sees no file.
    @Test func `another terminal has the settings that the stack was started with, and no secret besides its token`()
        async throws
    {
        let run = try await StackScript.run(
            """
            bin=bin; address=http://127.0.0.1:1; echo token >operator.token
            export CAPTURE_QUEUE_PARTITIONS=4 CAPTURE_BUNDLES_DIRECTORY="/a folder/it's" CAPTURE_TOKEN=another
            export CAPTURE_GATEWAY_READ_TOKENS=x CAPTURE_APPLE_KEY_FILE=x CAPTURE_ENROLMENT_KEY_FILE=x
            export CAPTURE_FAULT_POINT=x CAPTURE_ACTOR=x CAPTURE_VECTORS_DIR=x
            note_environment
            env -i bash -c '. ./environment; env | grep ^CAPTURE_ | sort'
            """)
        let settings = [
            "CAPTURE_BUNDLES_DIRECTORY=/a folder/it's", "CAPTURE_POSTGRES_URL=none", "CAPTURE_QUEUE_PARTITIONS=4",
            "CAPTURE_REDIS_URL=none", "CAPTURE_TOKEN=token",
        ]
        #expect(run.output.split(separator: "\n").map(String.init) == settings, "\(run.output)")
    }

    /// The dashboard's cookie is for HTTPS, or for a name of this machine.
    @Test(arguments: [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:8080", "http://[::1]:8080"), ("http://[::]:8080", "http://[::1]:8080"),
        ("http://10.0.0.0:8080", "http://10.0.0.0:8080"),
    ])
    func `a gateway at every address of the machine is shown at one where a login is kept`(
        announced: String, shown: String
    ) async throws {
        let run = try await StackScript.run(
            """
            mkdir log; echo "INFO listening on \(announced) [gateway]" >log/gateway.log
            gateway_log_bytes=0; is_listening; echo token >operator.token; login_link
            """)
        #expect(run.output.hasPrefix("\(shown)/dashboard/login#token="), "\(run.output)")
    }

    /// As with a Redis that has many captures in its file; like the real one `redis-cli` ends with 0 for a refusal.
    @Test func `the stack waits until Redis has read its file, which a new one answers LOADING until`() async throws {
        let run = try await StackScript.run(
            """
            sockets=$PWD/sockets; pg_bin=$PWD/bin; root=$PWD; mkdir log
            start() { :; }; postgres_up() { :; }; is_running() { true; }; sleep() { :; }
            servers_up; echo "asked $(wc -l <calls) times"
            """,
            programs: [
                "redis-cli": """
                echo "$*" >>calls
                [ "$(wc -l <calls)" -lt 4 ] || { echo PONG; exit 0; }
                echo 'LOADING Redis is loading the dataset in memory'
                case " $* " in *' -e '*) exit 1 ;; esac
                """,
                "psql": "exit 0",
            ])
        #expect(run.output == "asked 4 times", "\(run.output)")
    }

    /// Captures' places and the dashboard's sessions are among it.
    @Test func `what Redis keeps and what programs log is nobody else's, in a stack of before as well`() async throws {
        let run = try await StackScript.run(
            """
            umask 022; sockets=$PWD/sockets; pg_bin=$PWD/bin; root=$PWD; mkdir redis
            start() { stat -c '%n %a' log redis pid; }; postgres_up() { :; }; wait_for() { :; }
            servers_up
            """)
        #expect(run.output == "log 700\nredis 700\npid 755", "\(run.output)")
    }

    @Test func `a server that has ended is not waited for, and its last line is told`() async throws {
        let run = try await StackScript.run(
            """
            mkdir log; is_running() { [ "$1" != redis ]; }; sleep() { echo waited; }
            printf 'first\\nBad file format\\n' >log/redis.log
            wait_for redis Redis 120 false
            """)
        #expect(run.output.hasPrefix("Redis did not come up: Bad file format; see "), "\(run.output)")
    }

    /// With functions in place of what starts the programs.
    @Test func `another start keeps the gateway's log, in which a restore looks up accepted captures`() async throws {
        let run = try await StackScript.run(
            """
            mkdir log; bin=$PWD/bin
            tokens() { :; }; enrolment_key() { :; }; apple_up() { :; }; note_environment() { :; }
            is_running() { true; }; is_ready() { true; }
            start() { [ "$1" != gateway ] || echo "listening on http://127.0.0.1:$port" >>log/gateway.log; }
            port=1; programs_up 1; echo "capture accepted" >>log/gateway.log
            port=2; programs_up 2; echo "at $address"
            """, programs: ["capturectl": "exit 0"])
        #expect(run.output == "at http://127.0.0.1:2", "\(run.output)")
        let lines = ["listening on http://127.0.0.1:1", "capture accepted", "listening on http://127.0.0.1:2", ""]
        #expect(run.files["log/gateway.log"] == lines.joined(separator: "\n"))
    }
}
