import CBOR
import DeviceSimulator
import Testing

@Suite struct CBORDecodingTests {
    /// Hexadecimal, spaces allowed, for tables that read like RFC 8949, appendix A.
    static func hex(_ text: String) -> [UInt8] {
        let digits = text.filter { $0 != " " }
        return stride(from: 0, to: digits.count, by: 2).map { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)!
        }
    }

    @Test(
        arguments: [
            ("00", .unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)), ("18ff", .unsigned(255)),
            ("190100", .unsigned(256)), ("1a00010000", .unsigned(65536)), ("1b0000000100000000", .unsigned(1 << 32)),
            ("1bffffffffffffffff", .unsigned(.max)), ("20", .negative(0)), ("3863", .negative(99)),
            ("3bffffffffffffffff", .negative(.max)), ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
            ("60", .text("")), ("62c3bc", .text("ü")), ("80", .array([])),
            ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])), ("a0", .map([])),
            ("a10102", .map([.init(.unsigned(1), .unsigned(2))])),
            ("c11a514b67b0", .tagged(1, .unsigned(1_363_896_240))),
            ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null), ("f7", .undefined), ("f0", .simple(16)),
            ("f8ff", .simple(255)), ("f90000", .float(0)), ("f98000", .float(-0.0)), ("f93c00", .float(1)),
            ("fb3ff199999999999a", .float(1.1)), ("f97bff", .float(65504)), ("fa47c35000", .float(100_000)),
            ("f90001", .float(5.960464477539063e-8)), ("f90400", .float(0.00006103515625)), ("f9c400", .float(-4)),
            ("f97c00", .float(.infinity)), ("f97e00", .float(.nan)), ("fa7f7fffff", .float(3.4028234663852886e+38)),
            ("fb7e37e43c8800759c", .float(1.0e+300)),
        ] as [(String, CBORValue)])
    func `an example of RFC 8949 decodes and encodes to the same bytes`(_ hex: String, _ value: CBORValue) throws {
        let bytes = Self.hex(hex)
        let decoded = try CBORValue.decode(bytes)
        #expect(decoded == value)
        #expect(decoded.encode() == bytes)
    }

    @Test(
        arguments: [
            ("", .truncated), ("18", .truncated), ("1a000000", .truncated), ("41", .truncated), ("62c3", .truncated),
            ("81", .truncated), ("a1", .truncated), ("a101", .truncated), ("c1", .truncated), ("f8", .truncated),
            ("fb00", .truncated), ("5bffffffffffffffff", .truncated), ("5b7fffffffffffffff00", .truncated),
            ("9bffffffffffffffff", .truncated), ("bb8000000000000000", .truncated), ("9affffffff", .truncated),
            ("bb7fffffffffffffff01", .truncated), ("0000", .trailingBytes), ("a000", .trailingBytes),
            ("5f4100ff", .indefiniteLength), ("7f6161ff", .indefiniteLength), ("9fff", .indefiniteLength),
            ("bfff", .indefiniteLength), ("ff", .indefiniteLength), ("81ff", .indefiniteLength),
            ("1f", .indefiniteLength),
            ("1c", .reservedAdditionalInformation), ("5d", .reservedAdditionalInformation),
            ("fe", .reservedAdditionalInformation), ("1817", .notShortest), ("1900ff", .notShortest),
            ("1a0000ffff", .notShortest), ("1b00000000ffffffff", .notShortest), ("580100", .notShortest),
            ("780161", .notShortest), ("980100", .notShortest), ("b8010000", .notShortest), ("d80000", .notShortest),
            ("fa3f800000", .notShortest), ("fb3ff0000000000000", .notShortest), ("f97e01", .notShortest),
            ("a201000100", .duplicateKey), ("a2616100616100", .duplicateKey), ("81a2a000a000", .duplicateKey),
            ("61ff", .invalidUTF8), ("62c328", .invalidUTF8), ("63eda080", .invalidUTF8), ("62c080", .invalidUTF8),
            ("f800", .reservedSimpleValue), ("f818", .reservedSimpleValue), ("f81f", .reservedSimpleValue),
        ] as [(String, CBORError.Code)])
    func `what is not strict CBOR is refused with its own code`(_ hex: String, _ code: CBORError.Code) {
        let error = #expect(throws: CBORError.self) { try CBORValue.decode(Self.hex(hex)) }
        #expect(error?.code == code)
    }

    @Test func `keys that are canonically equivalent but differ in bytes are different keys`() throws {
        // U+00E9, and U+0065 U+0301; Swift compares the two strings as equal.
        let value = try CBORValue.decode(Self.hex("a2 62c3a9 01 6365cc81 02"))
        #expect(value["\u{E9}"] == .unsigned(1))
        #expect(value["e\u{301}"] == .unsigned(2))
        #expect(CBORValue.text("\u{E9}") != CBORValue.text("e\u{301}"))
    }

    @Test func `a duplicate key is found among thousands`() throws {
        let keys = Array(0..<1500) + [1, 700]
        for (extra, expected) in [(0, nil), (1, CBORError.Code.duplicateKey), (2, .duplicateKey)]
            as [(Int, CBORError.Code?)]
        {
            let entries = keys.prefix(1500 + extra).map { CBORValue.Entry(CBORValue($0), .null) }
            let bytes = CBORValue.map(entries).encode()
            do throws(CBORError) {
                _ = try CBORValue.decode(bytes)
                #expect(expected == nil)
            } catch {
                #expect(error.code == expected)
            }
        }
    }

    @Test(arguments: [("81", 4), ("c1", 4), ("a1", 4)])
    func `nesting stops at the limit`(_ opening: String, _ depthMax: Int) {
        func nested(_ depth: Int) -> [UInt8] {
            let opening = Self.hex(opening)
            // A map nests in its value: its key is the number 0.
            let level = opening == [0xA1] ? [0xA1, 0x00] : opening
            return (0..<depth).flatMap { _ in level } + [0x00]
        }
        let limits = CBORLimits(depthMax: depthMax)
        #expect(throws: Never.self) { try CBORValue.decode(nested(depthMax), limits: limits) }
        for depth in [depthMax + 1, 1000] {
            let error = #expect(throws: CBORError.self) { try CBORValue.decode(nested(depth), limits: limits) }
            #expect(error?.code == .depthExceeded)
        }
    }

    @Test func `no configuration allows nesting that could exhaust the stack`() {
        var limits = CBORLimits(bytesMax: .max, depthMax: .max, itemsMax: .max)
        #expect(limits.depthMax == CBORLimits.depthCeiling)
        limits.depthMax = .max
        let deep = [UInt8](repeating: 0x81, count: 1_000_000)
        let error = #expect(throws: CBORError.self) { try CBORValue.decode(deep, limits: limits) }
        #expect(error?.code == .depthExceeded)
    }

    @Test func `items and bytes are limited`() {
        let items = CBORValue.array(Array(repeating: .null, count: 10)).encode()
        #expect(throws: Never.self) { try CBORValue.decode(items, limits: CBORLimits(itemsMax: 11)) }
        var error = #expect(throws: CBORError.self) { try CBORValue.decode(items, limits: CBORLimits(itemsMax: 10)) }
        #expect(error?.code == .itemsExceeded)
        #expect(throws: Never.self) { try CBORValue.decode(items, limits: CBORLimits(bytesMax: 11)) }
        error = #expect(throws: CBORError.self) { try CBORValue.decode(items, limits: CBORLimits(bytesMax: 10)) }
        #expect(error?.code == .bytesExceeded)
    }

    @Test func `a prefix ends where its item ends`() throws {
        let bytes = Self.hex("ff a10102 a0 00")
        let first = try CBORValue.decodePrefix(bytes, from: 1)
        #expect(first.value[1] == .unsigned(2))
        #expect(first.end == 4)
        let second = try CBORValue.decodePrefix(bytes, from: first.end)
        #expect(second.value == .map([]))
        #expect(second.end == 5)
        for start in [-1, 6, 7] {
            let error = #expect(throws: CBORError.self) { try CBORValue.decodePrefix(bytes, from: start) }
            #expect(error?.code == .truncated)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `random bytes never crash, and whatever decodes encodes to the same bytes`() throws {
        var generator = SeededGenerator(seed: 0x5EED)
        var decoded = 0
        for _ in 0..<50_000 {
            let count = Int.random(in: 1...24, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            guard let (value, end) = try? CBORValue.decodePrefix(bytes) else { continue }
            decoded += 1
            try #require(value.encode() == Array(bytes[..<end]))
        }
        #expect(decoded > 1000)
    }
}
