import CBOR
import Testing

@Suite struct CBOREncodingTests {
    @Test func `a map keeps the order it was given`() {
        let value = CBORValue(["fmt": .text("x"), "attStmt": .map([]), "authData": .bytes([])])
        #expect(value.map?.map(\.key.text) == ["fmt", "attStmt", "authData"])
        #expect(value.encode().prefix(5) == [0xA3, 0x63, 0x66, 0x6D, 0x74])
    }

    @Test(arguments: [0, 1, -1, 23, 24, -24, -25, 255, 256, .max, .min])
    func `an Int survives the way there and back`(_ number: Int) throws {
        #expect(try CBORValue.decode(CBORValue(number).encode()).integer == number)
    }

    @Test func `numbers beyond an Int have no integer`() {
        #expect(CBORValue.unsigned(.max).integer == nil)
        #expect(CBORValue.negative(.max).integer == nil)
        #expect(CBORValue.negative(UInt64(Int.max)).integer == Int.min)
    }

    @Test func `reserved simple values are compared and hashed, though they cannot be encoded`() async throws {
        let reserved = (UInt8(24)...31).map { CBORValue.simple($0) }
        let others: [CBORValue] = [.null, .simple(23), .simple(32), .simple(255), .unsigned(24), .bytes([24])]
        for value in reserved {
            #expect(value == value && !others.contains(value))
            #expect(CBORValue.array([value]) != .array([.null]) && CBORValue.tagged(1, value) == .tagged(1, value))
            #expect(CBORValue.map([.init(value, .null)]) != .map([.init(.null, value)]))
        }
        #expect(Set(reserved + others).count == reserved.count + others.count)
        let stopped = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBORValue.array([.simple(24)]).encode()
        }
        #expect(stopped.errorText.contains("the simple values 24 to 31 are reserved"))
    }

    @Test func `an accessor answers for its own kind only`() {
        let values: [CBORValue] = [.unsigned(1), .bytes([1]), .text("a"), .array([]), .map([]), .null]
        #expect(values.compactMap(\.integer).count == 1)
        #expect(values.compactMap(\.bytes).count == 1)
        #expect(values.compactMap(\.text).count == 1)
        #expect(values.compactMap(\.array).count == 1)
        #expect(values.compactMap(\.map).count == 1)
        #expect(values.allSatisfy { $0["a"] == nil && $0[1] == nil })
    }
}
