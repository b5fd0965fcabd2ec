#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension UUID {
    /// Text of an id has 32 digits and four hyphens (RFC 9562 section 4).
    private static let textBytes = 36

    /// Reads the canonical text form (36 characters, either case); anything else is `nil`.
    ///
    /// Ids are read and written several times for every capture, and Foundation uses `sscanf` and `snprintf` for it.
    package init?(canonical text: some StringProtocol) {
        let text = text.utf8
        guard text.count == Self.textBytes else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isCanonical = withUnsafeMutableBytes(of: &uuid) { bytes in
            text.withContiguousStorageIfAvailable { Self.read($0, into: bytes) }
                ?? Array(text).withUnsafeBufferPointer { Self.read($0, into: bytes) }
        }
        guard isCanonical else { return nil }
        self.init(uuid: uuid)
    }

    /// Reads digits and hyphens at their places; the caller has checked that there are 36 characters.
    private static func read(_ text: UnsafeBufferPointer<UInt8>, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        var place = 0
        for index in bytes.indices {
            if hasHyphen(before: index) {
                guard text[place] == UInt8(ascii: "-") else { return false }
                place += 1
            }
            guard let byte = Hex.byte(text[place], text[place + 1]) else { return false }
            bytes[index] = byte
            place += 2
        }
        return true
    }

    /// The canonical text form in lower case.
    package var canonicalText: String {
        withUnsafeBytes(of: uuid) { bytes in
            String(unsafeUninitializedCapacity: Self.textBytes) { text in
                var place = 0
                for index in bytes.indices {
                    if Self.hasHyphen(before: index) {
                        text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    (text[place], text[place + 1]) = Hex.digits(of: bytes[index])
                    place += 2
                }
                return place
            }
        }
    }

    /// Whether a hyphen precedes one of the 16 bytes: they come in groups of 4, 2, 2, 2 and 6.
    private static func hasHyphen(before index: Int) -> Bool {
        index == 4 || index == 6 || index == 8 || index == 10
    }
}
