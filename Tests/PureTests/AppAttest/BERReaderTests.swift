import Testing

@testable import AppAttest

@Suite struct `The BER reader` {
    private static let limits = BERReader.Limits(depthMax: 4, elementsMax: 8)

    private func reader(_ bytes: [UInt8]) -> BERReader { BERReader(bytes[...], limits: Self.limits) }

    @Test(
        arguments: [
            ([0x04, 0x00], []), ([0x04, 0x01, 7], [7]), ([0x04, 0x81, 0x01, 7], [7]),
            ([0x04, 0x84, 0x00, 0x00, 0x00, 0x01, 7], [7]), ([0x24, 0x80, 0x00, 0x00], []),
            ([0x24, 0x80, 0x04, 0x01, 7, 0x00, 0x00], [0x04, 0x01, 7]),
            // Zeros inside of a definite length end nothing.
            ([0x24, 0x80, 0x04, 0x02, 0, 0, 0x00, 0x00], [0x04, 0x02, 0, 0]),
            ([0x30, 0x80, 0x30, 0x80, 0x00, 0x00, 0x00, 0x00], [0x30, 0x80, 0x00, 0x00]),
        ] as [([UInt8], [UInt8])])
    func `the BER reader reads definite and indefinite lengths`(_ bytes: [UInt8], _ contents: [UInt8]) throws {
        var reader = reader(bytes)
        let element = try reader.next()
        #expect(Array(element.contents) == contents && Array(element.encoded) == bytes)
        try reader.finish()
        var more = self.reader(bytes + [0x05, 0x00])
        #expect(Array(try more.next().encoded) == bytes)
        #expect(throws: BERError(code: .trailingBytes, offset: bytes.count)) { try more.finish() }
    }

    @Test(
        arguments: [
            ([], .truncated), ([0x04], .truncated), ([0x04, 0x01], .truncated), ([0x04, 0x82, 0x01], .truncated),
            ([0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], .truncated), ([0x30, 0x80], .truncated),
            ([0x30, 0x80, 0x00], .truncated),
            ([0x30, 0x80, 0x04, 0x05, 0x00, 0x00], .truncated), ([0x04, 0x80, 0x00, 0x00], .lengthMalformed),
            ([0x04, 0x85, 0, 0, 0, 0, 0], .lengthMalformed), ([0x04, 0xFF], .lengthMalformed),
            ([0x00, 0x00], .tagUnsupported),
            ([0x1F, 0x81, 0x01, 0x00], .tagUnsupported), ([0x3F, 0x00], .tagUnsupported),
            ([0x30, 0x80, 0x00, 0x01, 0x00, 0x00, 0x00], .tagUnsupported),
            ([0x30, 0x80, 0x30, 0x80, 0x30, 0x80, 0x30, 0x80, 0x30, 0x80], .tooDeep),
            ([0x30, 0x80, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 0, 0], .tooMany),
        ] as [([UInt8], BERError.Code)])
    func `the BER reader names what is wrong`(_ bytes: [UInt8], _ code: BERError.Code) {
        var reader = reader(bytes)
        let error = #expect(throws: BERError.self) { try reader.next() }
        #expect(error?.code == code)
    }

    @Test func `the BER reader reads no more elements than its limit`() throws {
        var reader = reader(Array(repeating: [UInt8]([0x05, 0x00]), count: 9).flatMap(\.self))
        for _ in 0..<8 { _ = try reader.next() }
        #expect(throws: BERError(code: .tooMany, offset: 16)) { try reader.next() }
    }

    @Test func `the BER reader asks for what must come, and passes over what may`() throws {
        var reader = reader([0x02, 0x01, 0x05, 0x30, 0x02, 0x05, 0x00])
        #expect(throws: BERError(code: .unexpected, offset: 0)) { try reader.next(BERElement.sequence) }
        #expect(try reader.optional(BERElement.set)?.identifier == nil)
        #expect(try Array(reader.next(BERElement.integer).contents) == [5])
        let sequence = try #require(try reader.optional(BERElement.sequence))
        #expect(reader.isAtEnd && reader.identifier == nil)
        #expect(throws: BERError(code: .truncated, offset: 7)) { try reader.next(BERElement.integer) }
        var inside = reader.contents(of: sequence)
        #expect(try inside.next().identifier == 0x05)
        try inside.finish()
    }
}
