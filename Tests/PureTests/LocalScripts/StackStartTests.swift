import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// What is built, and what `make up` looks at before it stops the stack that runs.
@Suite("A start of the local stack", .timeLimit(.minutes(1)))
struct StackStartTests {
    @Test func `a build of the programs asks Swift for its version once, and before it says that it builds`()
        async throws
    {
        let run = try await StackScript.run(
            """
            mkdir -p at/.build-release at/Config/local; cp "$root/Config/local/swift.sh" at/Config/local
            root=$PWD/at; bin=$PWD/none
            build_release; [ -f at/.build-release/built ] && echo built
            """,
            programs: [
                "swift": #"echo "$1" >>"${0%/bin/swift}/calls"; [ "$1" = build ] || echo 'Swift version 6.3.1'"#
            ])
        #expect(run.calls == "--version\nbuild\n", "\(run.output)")
        #expect(run.output == "building (the first time takes minutes) …\nbuilt", "\(run.output)")
        let old = try await StackScript.run(
            """
            mkdir -p at/Config/local; cp "$root/Config/local/swift.sh" at/Config/local
            root=$PWD/at; bin=$PWD/none; build_release
            """, programs: ["swift": "echo 'Swift version 5.10.1'"])
        #expect(old.output.hasPrefix("Swift 6.3 or newer is needed, and this is 5.10: "), "\(old.output)")
    }

    /// As README's blocks begin with it, whatever port the stack was started at.
    @Test func `make up keeps the port of a stack that runs, and one that was stopped leaves no address`() async throws
    {
        let run = try await StackScript.run(
            """
            bin=bin; address=http://127.0.0.1:9090; sockets=$PWD/sockets; echo token >operator.token
            stop() { :; }; is_running() { false; }
            note_environment; echo "at '$(noted_port)'"
            stack_down; echo "then at '$(noted_port)'"
            """)
        #expect(run.output == "at '9090'\nthen at ''", "\(run.output)")
        #expect(run.files["environment"] == nil)
        let script = try Repository.text("Config/local/up.sh")
        let port = try #require(script.range(of: "port=${PORT:-$(noted_port)}\ncheck_start \"${port:-8080}\"\n"))
        let down = try #require(script.range(of: "\nstack_down\n"))
        #expect(port.upperBound < down.lowerBound)
        #expect(script.contains("programs_up \"${port:-8080}\"\n"))
    }

    /// A stack that ran was stopped for a start that could not be.
    @Test(arguments: [
        (9090, true, "started"), (9090, false, "at 9090"), (9091, true, "at 9091"), (0, false, "started"),
    ])
    func `a port that another program has is refused before a stack that runs is stopped`(
        port: Int, runs: Bool, outcome: String
    ) async throws {
        let run = try await StackScript.run(
            """
            bin=$PWD/bin; noted_port() { echo 9090; }; is_running() { \(runs); }
            is_answered() { echo "at $2" >&2; [ "$1" = 10.0.0.1 ]; }
            check_start \(port); echo started
            """, programs: ["capture-gateway": "echo 'gateway.host      10.0.0.1'; echo 'gateway.hostile  x'"])
        #expect(run.output.split(separator: "\n").first.map(String.init) == outcome, "\(run.output)")
        let words = "the port \(port) is taken by another program, PORT=9090 make up takes another port; "
        #expect(run.output.contains(words) == (outcome != "started"), "\(run.output)")
    }

    @Test func `settings that the gateway does not take are told before a stack that runs is stopped`() async throws {
        let run = try await StackScript.run(
            "bin=$PWD/bin; check_start abc; echo started",
            programs: ["capture-gateway": "echo \"$* $CAPTURE_APP_IDS\" >>calls; echo 'gateway: no port' >&2; exit 64"])
        #expect(run.output == "gateway: no port; nothing was started or stopped", "\(run.output)")
        let call = "--print-settings --gateway-port abc TEAM123456.com.example.capture\n"
        #expect(run.calls == call, "\(run.calls)")
    }

    /// Settings that need a key of Apple's were refused, though the stack has one when it starts.
    @Test func `the gateway is asked with the keys and tokens that the stack will have`() async throws {
        let run = try await StackScript.run(
            """
            export CAPTURE_APPLE_KEY_FILE=/gone CAPTURE_APPLE_RECEIPTS_URL=gone CAPTURE_GATEWAY_READ_TOKENS=gone
            bin=$PWD/bin; is_answered() { false; }
            check_start 1; head -n 1 apple.p8; stat -c %a apple.p8
            """,
            programs: [
                "capture-gateway":
                    #"echo "${CAPTURE_APPLE_KEY_FILE##*/} ${#CAPTURE_GATEWAY_READ_TOKENS} ${CAPTURE_APPLE_RECEIPTS_URL-none}" >>calls"#
            ])
        #expect(run.calls == "apple.p8 64 none\n", "\(run.output)")
        #expect(run.output == "-----BEGIN PRIVATE KEY-----\n600", "\(run.output)")
    }

    @Test func `whether something listens at a port is seen without a program of its own`() async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = server.localAddress?.port ?? 0
        let run = try await StackScript.run(
            "is_answered 127.0.0.1 \(port) && echo somebody; is_answered 127.0.0.1 1 || echo nobody")
        try await server.close()
        #expect(run.output == "somebody\nnobody", "\(run.output)")
    }
}
