import DeviceSimulator
import FuzzTargets
import NIOCore
@testable import RedisClient
import Testing

@Suite("RESP replies")
struct ReplyReaderTests {
    private static let limits = ReplyLimits(bytesMax: 1 << 20)

    @Test func `replies are the same however the bytes are cut`() throws {
        var generator = RandomReplies(seed: 2_026)
        for _ in 0..<200 {
            let replies = (0..<Int.random(in: 1...5, using: &generator.bits)).map { _ in generator.value(depth: 0) }
            let wire = replies.flatMap(\.wire)
            #expect(try Self.read(wire, cuts: { _ in wire.count }) == replies)
            #expect(try Self.read(wire, cuts: { _ in 1 }) == replies)
            #expect(try Self.read(wire, cuts: { Int.random(in: 1...$0, using: &generator.bits) }) == replies)
        }
    }

    @Test(arguments: [-1, 0, 1, 100_000])
    func `a large value is the same however its bytes are cut and whatever is around it`(more: Int) throws {
        let size = ReplyReader.largeBytesMin + more
        let one = RedisValue.bulk(ByteBuffer(bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
        let two = RedisValue.bulk(ByteBuffer(repeating: UInt8(ascii: "\r"), count: size + 3))
        let replies: [RedisValue] = [
            one, .array([.integer(1), two, .bulk(ByteBuffer()), one, .null]), .array([.array([two]), one]), .integer(2),
        ]
        let wire = replies.flatMap(\.wire)
        var bits = SeededGenerator(seed: UInt64(size))
        #expect(try Self.read(wire, cuts: { _ in wire.count }) == replies)
        #expect(try Self.read(wire, cuts: { _ in 65_536 }) == replies)
        #expect(try Self.read(wire, cuts: { Int.random(in: 1...min($0, 50_000), using: &bits) }) == replies)
    }

    @Test(arguments: [0, 1, 9]) func `a large value without its end is a fault, now and for ever`(cut: Int) throws {
        let size = ReplyReader.largeBytesMin
        var wire = Array("$\(size)\r\n".utf8) + [UInt8](repeating: 1, count: size) + Array("\n\r+OK\r\n".utf8)
        var reader = try ReplyReader(limits: Self.limits)
        reader.feed(ByteBuffer(bytes: wire[..<(100 + cut)]))
        #expect(try reader.next() == nil)
        wire.removeFirst(100 + cut)
        reader.feed(ByteBuffer(bytes: wire))
        let fault = ReplyFault.malformed("a value is not ended by CRLF")
        for _ in 0..<2 { #expect(throws: fault) { _ = try reader.next() } }
    }

    @Test func `large values count against the bound of a reply`() throws {
        let value = RedisValue.bulk(ByteBuffer(repeating: 1, count: 600_000))
        #expect(throws: ReplyFault.tooLarge) {
            _ = try Self.read(RedisValue.array([value, value]).wire, cuts: { _ in 65_536 })
        }
    }

    @Test func `random bytes end in replies, a wait or a fault`() {
        let alphabet = Array("+-:$*0123456789\r\n\r\n\r\nab".utf8) + [0, 255]
        var bits = SeededGenerator(seed: 99)
        var faults = 0
        for _ in 0..<20_000 {
            let wire = (0..<Int.random(in: 1...64, using: &bits)).map { _ in alphabet.randomElement(using: &bits) ?? 0 }
            do throws(ReplyFault) {
                _ = try Self.read(wire, cuts: { Int.random(in: 1...$0, using: &bits) })
            } catch {
                faults += 1
            }
        }
        #expect(faults > 1_000)
    }

    @Test func `a changed byte in good replies never does worse than a fault`() {
        var generator = RandomReplies(seed: 4)
        var (read, faults) = (0, 0)
        for _ in 0..<2_000 {
            var wire = generator.value(depth: 0).wire + generator.value(depth: 0).wire
            let index = Int.random(in: wire.indices, using: &generator.bits)
            wire[index] = UInt8.random(in: 0...255, using: &generator.bits)
            do throws(ReplyFault) {
                _ = try Self.read(wire, cuts: { Int.random(in: 1...$0, using: &generator.bits) })
                read += 1
            } catch {
                faults += 1
            }
        }
        #expect(read > 0 && faults > 0, "\(read) read, \(faults) faults")
    }

    @Test func `arrays nest eight deep and no deeper`() throws {
        func wire(_ depth: Int) -> [UInt8] { Array((String(repeating: "*1\r\n", count: depth) + ":1\r\n").utf8) }
        #expect(try Self.read(wire(8), cuts: { _ in 3 }).count == 1)
        #expect(throws: ReplyFault.self) { _ = try Self.read(wire(9), cuts: { _ in 3 }) }
    }

    @Test(arguments: ["length", "line", "endless length", "elements"])
    func `what passes a bound is a fault, now and for ever`(bound: String) throws {
        let texts = [
            "length": "$1048577\r\n", "line": "+" + String(repeating: "a", count: 70_000),
            "endless length": "$11111111111111111111111111111",
            "elements": "*40000\r\n" + String(repeating: "$-1\r\n", count: 40_000),
        ]
        let text = try #require(texts[bound])
        let fault = bound == "endless length" ? ReplyFault.malformed("a length has no end") : .tooLarge
        var reader = try ReplyReader(limits: Self.limits)
        reader.feed(ByteBuffer(string: text))
        for _ in 0..<2 {
            do throws(ReplyFault) {
                _ = try reader.next()
                Issue.record("no fault")
            } catch {
                #expect(error == fault)
            }
            reader.feed(ByteBuffer(string: "\r\n+OK\r\n"))
        }
    }

    @Test(arguments: [1, 7, 1_000]) func `a reply that comes in pieces has no larger bound`(size: Int) throws {
        let wire = Array(("*200\r\n" + String(repeating: ":1\r\n", count: 200)).utf8)
        var reader = try ReplyReader(limits: ReplyLimits(bytesMax: 4_096))
        #expect(throws: ReplyFault.tooLarge) {
            for start in stride(from: 0, to: wire.count, by: size) {
                reader.feed(ByteBuffer(bytes: wire[start..<min(start + size, wire.count)]))
                _ = try reader.next()
            }
        }
    }

    @Test func `the bound is of one reply, not of all together`() throws {
        var reader = try ReplyReader(limits: ReplyLimits(bytesMax: 10_000))
        let payload = ByteBuffer(repeating: 1, count: 9_000)
        for _ in 0..<20 {
            reader.feed(ByteBuffer(string: "$9000\r\n"))
            reader.feed(payload)
            #expect(try reader.next() == nil)
            reader.feed(ByteBuffer(string: "\r\n"))
            #expect(try reader.next() == .bulk(payload))
        }
    }

    @Test func `numbers at the ends of 64 bits are exact`() throws {
        let wire = Array(":9223372036854775807\r\n:-9223372036854775808\r\n".utf8)
        #expect(try Self.read(wire, cuts: { _ in 5 }) == [.integer(.max), .integer(.min)])
    }

    private static func read(_ wire: [UInt8], cuts: (Int) -> Int) throws(ReplyFault) -> [RedisValue] {
        var reader = try ReplyReader(limits: limits)
        var replies: [RedisValue] = []
        var rest = wire[...]
        while !rest.isEmpty {
            let count = min(rest.count, cuts(rest.count))
            reader.feed(ByteBuffer(bytes: rest.prefix(count)))
            rest = rest.dropFirst(count)
            while let reply = try reader.next() { replies.append(reply) }
        }
        return replies
    }
}

/// Makes replies up, the same ones for the same seed.
private struct RandomReplies {
    var bits: SeededGenerator

    init(seed: UInt64) { bits = SeededGenerator(seed: seed) }

    mutating func value(depth: Int) -> RedisValue {
        switch Int.random(in: 0...(depth < 4 ? 6 : 4), using: &bits) {
        case 0: return .null
        case 1: return .integer(Int64.random(in: .min...(.max), using: &bits))
        case 2: return .simple("OK \(Int.random(in: 0...9, using: &bits))")
        case 3: return .error(RedisServerError("ERR \(Int.random(in: 0...9, using: &bits))"))
        case 4:
            let count = Int.random(in: 0...3_000, using: &bits)
            return .bulk(ByteBuffer(bytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &bits) }))
        default:
            let count = Int.random(in: 0...4, using: &bits)
            return .array((0..<count).map { _ in value(depth: depth + 1) })
        }
    }
}
