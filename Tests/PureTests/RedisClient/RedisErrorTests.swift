import NIOCore
import RedisClient
import Testing

@Suite("Redis errors and values")
struct RedisErrorTests {
    @Test(arguments: ["LOADING", "READONLY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "OOM", "BUSY"])
    func `a server that starts, fails over or is full may do better later`(prefix: String) {
        let error = RedisError(RedisServerError("\(prefix) some words"))
        #expect(error.code == .server)
        #expect(error.serverPrefix == prefix)
        #expect(error.isTransient)
    }

    @Test(arguments: ["ERR", "NOGROUP", "WRONGTYPE", "MOVED", "FENCED", "NOSCRIPT", ""])
    func `other error replies stay what they are`(prefix: String) {
        let error = RedisError(RedisServerError("\(prefix) 1 localhost:1"))
        #expect(error.serverPrefix == prefix)
        #expect(!error.isTransient)
    }

    @Test func `what the server quotes of a command's arguments is left out`() {
        let error = RedisServerError("ERR unknown command 'NAUTH', with args beginning with: 'S3cretPw' ")
        #expect(error.message == "ERR unknown command 'NAUTH'" && "\(RedisError(error))".hasSuffix("'NAUTH'"))
    }

    @Test func `of our own errors those of the connection pass`() {
        let transient: [RedisError.Code] = [.connection, .busy, .outcomeUnknown, .timeout, .backlogFull]
        let lasting: [RedisError.Code] = [.protocolViolation, .configuration, .closed, .cancelled]
        #expect(transient.allSatisfy { RedisError($0, "").isTransient })
        #expect(!lasting.contains { RedisError($0, "").isTransient })
    }

    @Test func `values are read as what they hold and nothing else`() {
        let text = RedisValue.bulk(ByteBuffer(string: "-17"))
        #expect(text.string == "-17")
        #expect(text.int == -17)
        #expect(text.buffer == ByteBuffer(string: "-17"))
        #expect(text.array == nil)
        #expect(RedisValue.bulk(ByteBuffer(bytes: [0xFF])).string == nil)
        #expect(RedisValue.integer(5).string == "5")
        #expect(RedisValue.simple("OK").buffer == nil)
        #expect(RedisValue.null.isNull && RedisValue.null.string == nil && RedisValue.null.int == nil)
        #expect(RedisValue.error(RedisServerError("ERR x")).error?.prefix == "ERR")
    }
}
