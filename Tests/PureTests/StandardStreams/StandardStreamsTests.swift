import Foundation
import Testing

@testable import StandardStreams

@Suite("Standard output and standard error")
struct StandardStreamsTests {
    /// A pipe that another process has made non-blocking.
    private func pipe() throws -> Pipe {
        let pipe = Pipe()
        try #require(fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        return pipe
    }

    @Test(.timeLimit(.minutes(1)))
    func `an answer arrives whole although another process has made its pipe non-blocking`() async throws {
        let pipe = try pipe()
        // Many times what a pipe holds.
        let text = String(repeating: "an answer\n", count: 100_000)
        let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
        let source = pipe.fileHandleForReading
        Thread.detachNewThread { continuation.yield(source.readDataToEndOfFile().count) }
        let fault = StandardStreams.put(text, on: pipe.fileHandleForWriting.fileDescriptor, patience: -1)
        try pipe.fileHandleForWriting.close()
        #expect(fault == nil)
        #expect(await counts.first { _ in true } == text.utf8.count)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a note is given up when nobody makes room for it`() throws {
        let pipe = try pipe()
        let text = String(repeating: "a note\n", count: 100_000)
        let fault = StandardStreams.put(text, on: pipe.fileHandleForWriting.fileDescriptor, patience: 10)
        #expect(fault == EAGAIN)
        try pipe.fileHandleForWriting.close()
    }
}
