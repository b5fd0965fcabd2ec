import RedisClient
import Testing

@Suite("Redis URLs")
struct RedisURLTests {
    @Test(arguments: [
        ("redis://localhost", RedisConfiguration.Address.tcp(host: "localhost", port: 6_379)),
        ("redis://10.0.0.1:7000/2", .tcp(host: "10.0.0.1", port: 7_000)),
        ("REDIS://h/", .tcp(host: "h", port: 6_379)),
        ("rediss://[::1]:6380", .tcp(host: "::1", port: 6_380)),
        ("redis://[fe80::1]", .tcp(host: "fe80::1", port: 6_379)),
        ("redis://user:p@ss@host:1", .tcp(host: "host", port: 1)),
        ("unix:///run/redis/redis.sock?db=3", .unixSocket(path: "/run/redis/redis.sock")),
        ("unix:///a%20b.sock", .unixSocket(path: "/a b.sock")),
    ])
    func `an address is read from the URL`(url: String, address: RedisConfiguration.Address) throws {
        #expect(try RedisConfiguration(url: url).address == address)
    }

    @Test func `user, password and database are read and percent-decoded`() throws {
        let configuration = try RedisConfiguration(url: "rediss://wor%6Ber:p%40ss%2Fw%3Ard@host/15")
        #expect(configuration.username == "worker")
        #expect(configuration.password == "p@ss/w:rd")
        #expect(configuration.database == 15)
        #expect(configuration.tls == RedisTLS())
    }

    @Test func `a password without a user is the default user's`() throws {
        let configuration = try RedisConfiguration(url: "redis://:secret@host")
        #expect(configuration.username == nil)
        #expect(configuration.password == "secret")
        #expect(configuration.tls == nil)
    }

    @Test func `a unix socket takes the rest from its query`() throws {
        let configuration = try RedisConfiguration(url: "unix:///s?db=1&user=a&password=b%26c")
        #expect(configuration.database == 1)
        #expect(configuration.username == "a")
        #expect(configuration.password == "b&c")
    }

    @Test(arguments: [
        "", "localhost", "http://host", "redis://", "redis://:6379", "redis://host:0", "redis://host:65536",
        "redis://host:six", "redis://host/db", "redis://host/-1", "redis://host/2000", "redis://[::1", "redis://[::1]x",
        "redis://host?timeout=3", "redis://user@host", "redis://u:%zz@host", "redis://u:%4@host", "redis://u:%ff@host",
        "redis://u:%00@host", "unix://relative.sock", "unix:///", "unix://", "redis://host?client_name=me",
    ])
    func `a URL that cannot be meant is refused`(url: String) {
        #expect(throws: RedisError(.configuration, "")) { _ = try RedisConfiguration(url: url) }
    }

    @Test(arguments: [
        "redis://default:p/ss@h:6379", "redis://default:p?ss@h:6379", "redis://default:12/34@h", "rediss://:p?s/s@h/1",
        "redis://u:p@a/b@h", "redis://u:p?a=b&c@h",
    ])
    func `a password that is cut by its own / or ? is told as that`(url: String) {
        let error = #expect(throws: RedisError(.configuration, "")) { _ = try RedisConfiguration(url: url) }
        #expect(error?.message.hasSuffix("in a password, write / as %2F, ? as %3F") == true)
    }

    @Test func `a user in front of a socket's path is told where a user goes`() {
        let error = #expect(throws: RedisError(.configuration, "")) {
            _ = try RedisConfiguration(url: "unix://capture:secret@/run/redis.sock")
        }
        #expect(error?.message.hasSuffix("(and ?user=…&password=… behind it)") == true)
    }

    @Test func `an @ in the password of the query is taken`() throws {
        #expect(try RedisConfiguration(url: "redis://host?password=p@ss&db=1").password == "p@ss")
    }

    @Test func `neither description nor error tells the password`() throws {
        let configuration = try RedisConfiguration(url: "redis://user:secret@host/1")
        #expect("\(configuration)" == "redis://host:6379 db 1")
        let error = #expect(throws: RedisError.self) { _ = try RedisConfiguration(url: "redis://user:secret@host/x") }
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `a bound out of its range is refused by name`() throws {
        let bounds: [WritableKeyPath<RedisConfiguration, Int>] = [
            \.pipelineDepthMax, \.backlogMax, \.backlogBytesMax, \.replyBytesMax, \.dedicatedConnectionsMax,
            \.subscriptionBufferMax,
        ]
        for bound in bounds {
            for value in [0, -1, Int.max] {
                var configuration = try RedisConfiguration(url: "redis://host")
                configuration[keyPath: bound] = value
                let error = #expect(throws: RedisError(.configuration, "")) { try configuration.validate() }
                #expect(error?.message.contains("must be") == true)
            }
        }
    }

    @Test func `a client certificate without its key is refused`() throws {
        var configuration = try RedisConfiguration(url: "rediss://host")
        configuration.tls?.certificateFile = "client.pem"
        #expect(throws: RedisError(.configuration, "")) { try configuration.validate() }
    }
}
