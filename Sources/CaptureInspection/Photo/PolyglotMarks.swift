/// Signs that another program may read a photo as a file of another type.
package struct PolyglotMarks: OptionSet, Sendable, Hashable {
    /// The marks as bits.
    package let rawValue: UInt8

    /// Takes the marks as bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A ZIP directory ends exactly where the file ends: ZIP readers start there.
    package static let zip = PolyglotMarks(rawValue: 1)
    /// A PDF header within the first 1024 bytes: PDF readers look that far.
    package static let pdf = PolyglotMarks(rawValue: 2)
    /// Markup or a script that a browser or server would run, in a metadata segment or after the picture.
    package static let markup = PolyglotMarks(rawValue: 4)

    private static let markupStarts = ["<script", "<?php", "<html", "<!doctype html", "<svg"].map { Array($0.utf8) }

    /// Whether markup starts here, in either case: the start of a tag and the character that ends its name.
    ///
    /// The four bytes of `<svg` alone occur by chance in the thumbnail of one photo in 50,000; and no reader takes
    /// `<svgx` for a picture.
    static func isMarkup(_ data: Span<UInt8>, at offset: Int) -> Bool {
        markupStarts.contains { start in
            let end = offset + start.count
            guard end <= data.count, end == data.count || endsName(data[end]) else { return false }
            return start.indices.allSatisfy { index in
                let byte = data[offset + index]
                return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    ? byte | 0x20 == start[index] : byte == start[index]
            }
        }
    }

    /// White space, `/` or `>`; at the end of the data the next byte is unknown and may be one of them.
    private static func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x0A, 0x0C, 0x0D, 0x20, UInt8(ascii: "/"), UInt8(ascii: ">"): true
        default: false
        }
    }

    /// Whether markup starts anywhere in a part of the data.
    static func hasMarkup(_ data: Span<UInt8>, in range: Range<Int>) -> Bool {
        var position = range.lowerBound
        while let found = data.firstIndex(of: UInt8(ascii: "<"), in: position..<range.upperBound) {
            if isMarkup(data.extracting(..<range.upperBound), at: found) { return true }
            position = found + 1
        }
        return false
    }

    /// Whether a PDF header is where PDF readers look for one.
    static func hasPDFHeader(_ data: Span<UInt8>) -> Bool {
        let header = Array("%PDF-".utf8)
        let end = min(data.count, 1024)
        var position = 0
        while let found = data.firstIndex(of: UInt8(ascii: "%"), in: position..<end) {
            if data.hasBytes(header, at: found) { return true }
            position = found + 1
        }
        return false
    }

    /// Whether an end-of-central-directory record with a fitting comment length ends the file.
    static func hasZIPDirectory(_ data: Span<UInt8>) -> Bool {
        // The record has 22 bytes and a comment of at most 65,535.
        var position = max(0, data.count - 22 - 65_535)
        while let found = data.firstIndex(of: 0x50, in: position..<max(position, data.count - 21)) {
            if data.hasBytes([0x50, 0x4B, 0x05, 0x06], at: found) {
                let comment = Int(data[found + 20]) | Int(data[found + 21]) << 8
                if found + 22 + comment == data.count { return true }
            }
            position = found + 1
        }
        return false
    }
}
