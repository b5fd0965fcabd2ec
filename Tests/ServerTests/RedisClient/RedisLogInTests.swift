import NIOCore
import RedisClient
import TestSupport
import Testing

@Suite("Redis log-in", .timeLimit(.minutes(1)))
struct RedisLogInTests {
    @Test func `the URL's user, password and database are those of the connection`() async throws {
        let server = try await PrivateRedis.start(
            ["--user", "worker", "on", ">p@ss:w/rd", "~*", "&*", "+@all"], tcp: true)
        let url = server.url.replacing("redis://", with: "redis://worker:p%40ss%3Aw%2Frd@") + "/3"
        try await RedisFixture.withClient(url) { redis in
            #expect(try await redis.send(RedisCommand("ACL", ["WHOAMI"])).string == "worker")
            let info = try #require(try await redis.send(RedisCommand("CLIENT", ["INFO"])).string)
            #expect(info.contains(" db=3 "))
            #expect(info.contains(" name=capture-processor "))
        }
    }

    @Test func `a unix socket takes user and database from the query`() async throws {
        let server = try await PrivateRedis.start(["--requirepass", "secret"])
        try await RedisFixture.withClient(server.url + "?db=2&password=secret") { redis in
            let info = try #require(try await redis.send(RedisCommand("CLIENT", ["INFO"])).string)
            #expect(info.contains(" db=2 "))
        }
    }

    /// As the runbooks call it.
    ///
    /// It takes a password without a user for that of a user without a name.
    @Test(arguments: ["compose.yaml", "kubernetes/secrets.env.example"])
    func `the address that is deployed lets redis-cli in as well as this client`(file: String) async throws {
        let address = /CAPTURE_REDIS_URL.*:\/\/([^:@\n]*):[^@\n]+@/
        let user = try #require(try Repository.text("Config/deploy/\(file)").firstMatch(of: address)?.output.1)
        let server = try await PrivateRedis.start(["--requirepass", "secret"], tcp: true)
        let url = server.url.replacing("redis://", with: "redis://\(user):secret@")
        let answer = try await LeashedProcess.run("redis-cli", ["-u", url, "ping"])
        #expect(answer.exitCode == 0 && answer.output.contains("PONG"), "\(answer.output)")
        try await RedisFixture.withClient(url) { redis in try await redis.ping() }
    }

    @Test(arguments: ["", "?password=wrong"])
    func `without the right password there is no connection, and the reason is told`(query: String) async throws {
        let server = try await PrivateRedis.start(["--requirepass", "secret"])
        try await RedisFixture.withClient(server.url + query) {
            $0.sendTimeout = .seconds(1)
        } _: { redis in
            // The first may be over before a busy server has answered the log-in.
            try await eventually {
                let error = await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
                return error?.message.contains(query.isEmpty ? "NOAUTH" : "WRONGPASS") == true
            }
            let own = await #expect(throws: RedisError(.server, "")) { _ = try await redis.openConnection() }
            #expect(own?.serverPrefix == (query.isEmpty ? "NOAUTH" : "WRONGPASS"))
        }
    }

    @Test(arguments: [
        "ERR max number of clients reached",
        "DENIED Redis is running in protected mode because protected mode is enabled and no password is set",
    ])
    func `what a server says that turns a connection away is told`(line: String) async throws {
        try await FakeRedis.with(logIn: nil, hangsUp: true) { _ in
            ByteBuffer(string: "-\(line)\r\n")
        } _: { server in
            for login in ["redis://", "redis://:S3cretPw@"] {
                try await RedisFixture.withClient(server.url.replacing("redis://", with: login)) {
                    $0.sendTimeout = .milliseconds(300)
                } _: { redis in
                    try await eventually {
                        let error = await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
                        return error?.message.contains(line) == true
                    }
                    let own = await #expect(throws: RedisError(.connection, "")) {
                        _ = try await redis.openConnection()
                    }
                    #expect(own?.message == "the server closed the connection: \(line)")
                }
            }
        }
    }

    @Test func `a server that does not know AUTH has nobody told the password`() async throws {
        let server = try await PrivateRedis.start(["--rename-command", "AUTH", ""])
        try await RedisFixture.withClient(server.url + "?password=S3cretPw") {
            $0.sendTimeout = .seconds(1)
        } _: { redis in
            try await eventually {
                let error = await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
                #expect(error?.message.contains("S3cretPw") == false)
                return error?.message.contains("the log-in was refused") == true
            }
            let own = await #expect(throws: RedisError(.server, "")) { _ = try await redis.openConnection() }
            #expect(own?.message == "ERR the log-in was refused")
        }
    }

    @Test func `a user who may not be named is let in all the same`() async throws {
        let server = try await PrivateRedis.start(["--user", "narrow", "on", ">x", "~*", "+get", "+ping"], tcp: true)
        let url = server.url.replacing("redis://", with: "redis://narrow:x@")
        try await RedisFixture.withClient(url) { redis in
            let reply = try await redis.send(RedisCommand("GET", ["a"]))
            #expect(reply.isNull)
            let error = await #expect(throws: RedisError.self) { _ = try await redis.send(RedisCommand("DBSIZE")) }
            #expect(error?.serverPrefix == "NOPERM")
        }
    }

    @Test func `a user who may not select the database has no connection, rather than one to another`() async throws {
        let server = try await PrivateRedis.start(
            ["--user", "narrow", "on", ">x", "~*", "+@all", "-select"], tcp: true)
        let url = server.url.replacing("redis://", with: "redis://narrow:x@") + "/3"
        try await RedisFixture.withClient(url) {
            $0.sendTimeout = .seconds(1)
        } _: { redis in
            try await eventually {
                let error = await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
                return error?.message.contains("NOPERM") == true
            }
            let own = await #expect(throws: RedisError(.server, "")) { _ = try await redis.openConnection() }
            #expect(own?.serverPrefix == "NOPERM")
        }
    }

    @Test(arguments: ["BUSY a script runs", "OOM no memory", "NOPERM not you"])
    func `a database that is refused for the moment is asked for again, and nothing is written meanwhile`(
        refusal: String
    ) async throws {
        // SELECT, CLIENT SETNAME and PING.
        try await FakeRedis.with(logIn: "-\(refusal)\r\n" + FakeRedis.welcome) { _ in
            ByteBuffer(string: "+WRITTEN\r\n")
        } _: { server in
            try await RedisFixture.withClient(server.url + "/3") {
                $0.sendTimeout = .milliseconds(300)
            } _: { redis in
                try await eventually {
                    let error = await #expect(throws: RedisError(.connection, "")) { try await redis.ping() }
                    return error?.message.contains(refusal) == true
                }
                #expect(!redis.isConnected)
                let own = await #expect(throws: RedisError(.server, "")) { _ = try await redis.openConnection() }
                #expect(own?.message == refusal)
            }
        }
    }

    @Test(arguments: ["LOADING the data set", "BUSY a script runs", "NOPERM not you"])
    func `a server that only will not be pinged is connected to`(refusal: String) async throws {
        // SELECT, CLIENT SETNAME and PING.
        try await FakeRedis.with(logIn: "+OK\r\n+OK\r\n-\(refusal)\r\n") { _ in
            ByteBuffer(string: "+WRITTEN\r\n")
        } _: { server in
            try await RedisFixture.withClient(server.url + "/3") { redis async throws in
                #expect(try await redis.send(RedisCommand("GET", ["a"])) == .simple("WRITTEN"))
            }
        }
    }
}
