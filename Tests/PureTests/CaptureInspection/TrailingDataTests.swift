import CaptureInspection
import Testing

@Suite struct TrailingDataTests {
    private func walk(_ photo: [UInt8]) throws -> JPEGStructure {
        try JPEGWalker().walk(photo.span)
    }

    @Test(
        arguments: [
            [0x50, 0x4B, 3, 4, 20, 0], Array("%PDF-1.7".utf8), Array("\n <HTML><body>".utf8),
            Array("<?php system()".utf8),
            Array("\0\0\0\u{18}ftypmp42".utf8), [0x89, 0x50, 0x4E, 0x47, 13, 10], JPEGBuilder.baseline,
            [0x7F, 0x45, 0x4C, 0x46, 2], [UInt8](repeating: 0, count: 5000), [1],
        ] as [[UInt8]])
    func `data behind the end of image are foreign`(data: [UInt8]) throws {
        let structure = try walk(JPEGBuilder.baseline + data)
        #expect(structure.trailing.bytes == data.count)
        #expect(structure.trailing.foreignBytes == data.count)
        #expect(!structure.isPure)
    }

    @Test func `a little padding is nothing foreign`() throws {
        let structure = try walk(JPEGBuilder.baseline + [UInt8](repeating: 0, count: 4096))
        #expect(structure.isPure && structure.trailing.bytes == 4096)
    }

    @Test func `a picture that the index declares belongs to the photo`() throws {
        let photo = JPEGWalkerTests.withIndex
        let structure = try walk(photo)
        #expect(structure.isPure && structure.trailing.foreignBytes == 0)
        #expect(structure.trailing.bytes == JPEGBuilder.baseline.count)
        // And nothing more.
        let more = try walk(photo + [1, 2, 3])
        #expect(!more.isPure && more.trailing.foreignBytes == 3)
    }

    @Test func `a declared size beyond the file ends with the file`() throws {
        var photo = JPEGWalkerTests.withIndex
        let index = try #require(photo.indices.first { photo[$0...].starts(with: Array("MPF\0".utf8)) })
        // The size of the second picture: 50 bytes of directory and 16 of the first entry behind `MPF\0`.
        photo[index + 4 + 26 + 16 + 4] = 0x7F
        #expect(try walk(photo).isPure)
    }

    @Test func `what the index declares must be a picture`() throws {
        var photo = JPEGWalkerTests.withIndex
        photo[photo.count - 1] = 0
        let structure = try walk(photo)
        #expect(!structure.isPure)
        #expect(structure.trailing.foreignBytes == JPEGBuilder.baseline.count)
    }

    @Test func `a photo that is a ZIP archive as well is told`() throws {
        let directory: [UInt8] = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 16)
        let appended = try walk(JPEGBuilder.baseline + directory + [0, 0])
        #expect(appended.polyglot == .zip)
        // In a comment, with the rest of the picture as the archive's own comment.
        let tail = JPEGBuilder.tables.frame().scan().raw([0x3F]).end.dropFirst(2)
        let hidden = JPEGBuilder().segment(0xFE, directory + [UInt8(tail.count), 0]).bytes + tail
        let structure = try walk(hidden)
        #expect(structure.trailing.bytes == 0 && structure.polyglot == .zip)
    }

    /// The end record of a ZIP directory of one entry.
    private func endRecord(size: Int, start: Int, comment: Int = 0) -> [UInt8] {
        func number(_ value: Int, bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 255) } }
        return [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0] + number(size, bytes: 4) + number(start, bytes: 4)
            + number(comment, bytes: 2)
    }

    /// `unzip`, `jar` and Python's `zipfile` list its files.
    @Test func `a ZIP archive whose record does not end the file is told`() throws {
        let entry: [UInt8] = [0x50, 0x4B, 1, 2] + [UInt8](repeating: 0, count: 42)
        func polyglot(_ comment: [UInt8]) throws -> PolyglotMarks {
            try walk(
                JPEGBuilder().segment(0xFE, comment).quantization().huffman(0).huffman(0x10).frame().scan()
                    .raw([0x3F]).end
            ).polyglot
        }
        #expect(try polyglot(entry + endRecord(size: entry.count, start: 0)) == .zip)
        #expect(try polyglot(entry + endRecord(size: entry.count, start: 0, comment: 60_000)) == .zip)
        // Its place in the file: behind start of image, marker and length.
        #expect(try polyglot(entry + [1, 2, 3] + endRecord(size: entry.count, start: 6)) == .zip)
        let locator: [UInt8] = [0x50, 0x4B, 6, 7] + [UInt8](repeating: 0, count: 16)
        #expect(try polyglot(locator + endRecord(size: 0xFFFF_FFFF, start: 0xFFFF_FFFF)) == .zip)
        #expect(try polyglot(endRecord(size: entry.count, start: 0)) == [], "a record alone is there by chance")
        #expect(try polyglot(entry + endRecord(size: 0xFFFF_FFFF, start: 0xFFFF_FFFF)) == [])
    }

    @Test func `a ZIP archive is told whose comment is as long as it may be`() throws {
        let comment = [UInt8](repeating: 0x20, count: 0xFFFF)
        let archive = endRecord(size: 0, start: 0, comment: comment.count) + comment
        #expect(try walk(JPEGBuilder.baseline + archive).polyglot == .zip)
    }

    @Test(arguments: [(6, true), (1023, true), (1024, false)])
    func `a PDF begins within the first 1024 bytes`(place: Int, isTold: Bool) throws {
        // Behind start of image, marker and length.
        let comment = [UInt8](repeating: 0x20, count: place - 6) + Array("%PDF-1.4".utf8)
        let photo = JPEGBuilder().segment(0xFE, comment).quantization().huffman(0).huffman(0x10).frame().scan()
        #expect(try walk(photo.raw([0x3F]).end).polyglot == (isTold ? .pdf : []))
    }

    /// Four bytes in any case are there by chance in one of a thousand gain maps.
    @Test func `what a declared picture's scan looks like by chance is no markup, its metadata and gaps are looked at`()
        throws
    {
        let svg = Array("<svg".utf8)
        func second(comment: [UInt8]) -> [UInt8] {
            JPEGBuilder().segment(0xFE, comment).quantization().huffman(0).huffman(0x10).frame().scan()
                .raw(svg + [0x3F]).end
        }
        let clean = try walk(JPEGWalkerTests.indexed(second(comment: [])))
        #expect(clean.isPure && clean.trailing.bytes > 0)
        #expect(try walk(JPEGWalkerTests.indexed(second(comment: svg))).polyglot == .markup)
        #expect(try walk(JPEGWalkerTests.indexed(second(comment: [])) + svg).polyglot == .markup)
    }

    @Test func `what a thumbnail's scan looks like by chance is no markup, a tag that ends is`() throws {
        func photo(exif scan: String) throws -> PolyglotMarks {
            let thumbnail = JPEGBuilder.tables.frame().scan().raw(Array(scan.utf8) + [0x3F]).end
            let exif = Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0] + thumbnail
            return try walk(
                JPEGBuilder().segment(0xE1, exif).quantization().huffman(0).huffman(0x10).frame().scan().raw([0x3F]).end
            ).polyglot
        }
        #expect(try photo(exif: "<SvG") == [])
        #expect(try photo(exif: "<svgx>") == [])
        for end in [" ", "\t", "\n", "\r", "\u{C}", "/", ">"] { #expect(try photo(exif: "<SvG\(end)") == .markup) }
    }

    @Test func `documents and scripts inside metadata are told`() throws {
        func comment(_ text: String) throws -> PolyglotMarks {
            try walk(
                JPEGBuilder().segment(0xFE, Array(text.utf8)).quantization().huffman(0).huffman(0x10)
                    .frame().scan().raw([0x3F]).end
            ).polyglot
        }
        #expect(try comment("%PDF-1.4") == .pdf)
        #expect(try comment("x <ScRiPt>alert(1)") == .markup)
        #expect(try comment("<?php eval()") == .markup)
        #expect(try comment("<SvG") == .markup, "what comes behind the segment may end it")
        #expect(try comment("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF/>") == [])
        #expect(try comment("100 %, <scr") == [])
        #expect(try comment("<<s<script>") == .markup)
        #expect(try comment("<!<!DOCTYPE HTML>") == .markup)
        #expect(try comment(String(repeating: "<", count: 60_000)) == [])
    }

    @Test func `a table is looked at for markup as a comment is`() throws {
        let script = Array("<script>alert(1)</script>".utf8)
        let table = script + [UInt8](repeating: 1, count: 64 - script.count)
        func polyglot(_ marker: UInt8, _ payload: [UInt8]) throws -> PolyglotMarks {
            try walk(JPEGBuilder.tables.segment(marker, payload).frame().scan().raw([0x3F]).end).polyglot
        }
        #expect(try polyglot(0xDB, [1] + table) == .markup)
        // Codes of eight bits, as many as there are values.
        let lengths = [UInt8](repeating: 0, count: 7) + [UInt8(script.count)] + [UInt8](repeating: 0, count: 8)
        #expect(try polyglot(0xC4, [0x11] + lengths + script) == .markup)
        #expect(try polyglot(0xDB, [1] + [UInt8](repeating: 1, count: 64)) == [])
    }
}
