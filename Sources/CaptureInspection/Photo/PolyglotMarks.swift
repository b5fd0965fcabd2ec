/// Signs that another program may read a photo as a file of another type.
package struct PolyglotMarks: OptionSet, Sendable, Hashable {
    /// The marks as bits.
    package let rawValue: UInt8

    /// Takes the marks as bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A ZIP directory near the file's end, where ZIP readers look for it; few ask that it ends the file.
    package static let zip = PolyglotMarks(rawValue: 1)
    /// A PDF header within the first 1024 bytes: PDF readers look that far.
    package static let pdf = PolyglotMarks(rawValue: 2)
    /// Markup or a script that a browser or server would run, in a metadata segment or after the picture.
    package static let markup = PolyglotMarks(rawValue: 4)

    private static let (script, svg) = (Array("<script".utf8), Array("<svg".utf8))
    private static let (php, html) = (Array("<?php".utf8), Array("<html".utf8))
    private static let doctype = Array("<!doctype html".utf8)

    /// Whether markup starts here, in either case: the start of a tag and the character that ends its name.
    ///
    /// The four bytes of `<svg` alone occur by chance in the thumbnail of one photo in 50,000; and no reader takes
    /// `<svgx` for a picture. The second byte decides first: a sender may fill megabytes with `<`.
    static func isMarkup(_ data: Span<UInt8>, at offset: Int) -> Bool {
        guard offset + 1 < data.count else { return false }
        switch lowercased(data[offset + 1]) {
        case UInt8(ascii: "s"): return isTag(script, data, at: offset) || isTag(svg, data, at: offset)
        case UInt8(ascii: "?"): return isTag(php, data, at: offset)
        case UInt8(ascii: "h"): return isTag(html, data, at: offset)
        case UInt8(ascii: "!"): return isTag(doctype, data, at: offset)
        default: return false
        }
    }

    private static func isTag(_ start: [UInt8], _ data: Span<UInt8>, at offset: Int) -> Bool {
        let end = offset + start.count
        guard end <= data.count else { return false }
        for index in start.indices where lowercased(data[offset + index]) != start[index] { return false }
        return end == data.count || endsName(data[end])
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
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
        let part = data.extracting(range)
        var position = 0
        while let found = part.firstIndex(of: UInt8(ascii: "<"), in: position..<part.count) {
            position = found
            // Where they are close together, a search for each costs more than a look.
            while position < part.count, part[position] == UInt8(ascii: "<") {
                if isMarkup(part, at: position) { return true }
                position += 1
            }
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

    /// Whether a ZIP reader finds a directory: its end record, in the last 65 KiB.
    ///
    /// Most readers (Info-ZIP, Java, Python, Go) take the last record there is, wherever its comment ends, and look for
    /// the first entry right before it or at the place that it names. An entry, or the locator of a ZIP64 directory, must
    /// be there unless the record ends the file: a record's four bytes alone occur by chance.
    static func hasZIPDirectory(_ data: Span<UInt8>) -> Bool {
        // The record has 22 bytes.
        var position = max(0, data.count - (65 << 10))
        while let found = data.firstIndex(of: 0x50, in: position..<max(position, data.count - 21)) {
            if endsZIPDirectory(data, at: found) { return true }
            position = found + 1
        }
        return false
    }

    private static func endsZIPDirectory(_ data: Span<UInt8>, at record: Int) -> Bool {
        guard data[record + 1] == 0x4B, data[record + 2] == 5, data[record + 3] == 6 else { return false }
        if record + 22 + data.littleEndian(2, at: record + 20) == data.count { return true }
        let (size, start) = (data.littleEndian(4, at: record + 12), data.littleEndian(4, at: record + 16))
        let entry: [UInt8] = [0x50, 0x4B, 1, 2]
        return data.hasBytes(entry, at: record - size) || data.hasBytes(entry, at: start)
            || data.hasBytes([0x50, 0x4B, 6, 7], at: record - 20)
    }
}
