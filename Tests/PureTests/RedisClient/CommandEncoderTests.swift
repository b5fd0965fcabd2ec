import NIOCore
@testable import RedisClient
import Testing

@Suite("RESP requests")
struct CommandEncoderTests {
    @Test func `a command is an array of bulk strings`() {
        #expect(
            Self.text(
                RedisCommand("SET", ["key", .bytes([0x0D, 0x0A]), .integer(-12), .buffer(ByteBuffer(string: ""))]))
                == "*5\r\n$3\r\nSET\r\n$3\r\nkey\r\n$2\r\n\r\n\r\n$3\r\n-12\r\n$0\r\n\r\n")
        #expect(Self.text(RedisCommand("PING")) == "*1\r\n$4\r\nPING\r\n")
    }

    @Test func `lengths count bytes, not characters`() {
        #expect(Self.text(RedisCommand("ECHO", ["größe"])) == "*2\r\n$4\r\nECHO\r\n$7\r\ngröße\r\n")
        let long = String(repeating: "a", count: 12_345)
        #expect(Self.text(RedisCommand("E", [.string(long)])) == "*2\r\n$1\r\nE\r\n$12345\r\n\(long)\r\n")
    }

    @Test func `small commands share one buffer`() {
        var encoder = CommandEncoder()
        for _ in 0..<100 { encoder.append(RedisCommand("PING")) }
        let parts = encoder.take()
        #expect(parts.count == 1)
        #expect(parts.first?.readableBytes == 100 * 14)
        #expect(encoder.take().isEmpty)
    }

    @Test func `a large buffer goes as it is between two small ones`() {
        let large = ByteBuffer(repeating: 7, count: CommandEncoder.copiedBytesMax + 1)
        let address = Self.address(of: large)
        var encoder = CommandEncoder()
        encoder.append(RedisCommand("SET", ["key", .buffer(large), "KEEPTTL"]))
        encoder.append(RedisCommand("PING"))
        let parts = encoder.take()
        #expect(parts.count == 3)
        #expect(Self.address(of: parts[1]) == address)
        #expect(String(buffer: parts[2]) == "\r\n$7\r\nKEEPTTL\r\n*1\r\n$4\r\nPING\r\n")
    }

    private static func text(_ command: RedisCommand) -> String {
        var encoder = CommandEncoder()
        encoder.append(command)
        return encoder.take().map { String(buffer: $0) }.joined()
    }

    private static func address(of buffer: ByteBuffer) -> UInt {
        buffer.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
