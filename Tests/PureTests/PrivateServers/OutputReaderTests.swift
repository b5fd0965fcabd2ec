import Foundation
import Testing

@testable import PrivateServers

@Suite("The output of a child", .timeLimit(.minutes(1)))
struct OutputReaderTests {
    /// A pipe that is full again as soon as it was read never has an end of what is there.
    @Test func `what is written while a child's output is read is not waited for`() throws {
        let ends = try Self.pipe()
        let reader = OutputReader(ends.reading)
        defer { ends.close() }
        Self.write("before", to: ends.writing)
        var pieces: [String] = []
        reader.readWritten { piece in
            pieces.append(String(decoding: piece, as: UTF8.self))
            Self.write("after", to: ends.writing)
        }
        #expect(pieces == ["before"])
        // Nothing was lost, either.
        reader.readWritten { pieces.append(String(decoding: $0, as: UTF8.self)) }
        #expect(pieces == ["before", "after"])
        reader.readWritten { _ in Issue.record("nothing was written") }
    }

    @Test func `a full pipe is read at once`() throws {
        let ends = try Self.pipe()
        defer { ends.close() }
        _ = fcntl(ends.writing, F_SETFL, O_NONBLOCK)
        var written = 0
        while true {
            let count = Foundation.write(ends.writing, [UInt8](repeating: 0, count: 1_024), 1_024)
            guard count > 0 else { break }
            written += count
        }
        var read = 0
        OutputReader(ends.reading).readWritten { read += $0.count }
        #expect(written > 0 && read == written)
    }

    @Test func `a child's output is cut into lines wherever its pieces end`() {
        var output = ChildOutput()
        for piece in ["leash: 7", "1\nfir", "st\n\nleash: 8\nla", "st"] { output.take(Array(piece.utf8)[...]) }
        #expect(output.processID == 71 && output.lines == ["first", "", "leash: 8"])
        output.end()
        output.take(Array("\nmore\n".utf8)[...])
        #expect(output.lines == ["first", "", "leash: 8", "last"])
    }

    private struct Ends {
        let reading: Int32
        let writing: Int32

        func close() {
            Foundation.close(reading)
            Foundation.close(writing)
        }
    }

    private static func pipe() throws -> Ends {
        var ends: [Int32] = [0, 0]
        let code = Foundation.pipe(&ends)
        try #require(code == 0)
        return Ends(reading: ends[0], writing: ends[1])
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let count = Foundation.write(descriptor, Array(text.utf8), text.utf8.count)
        #expect(count == text.utf8.count)
    }
}
