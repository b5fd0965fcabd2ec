import CaptureModel
import Foundation
import Logging
import Observability
import Testing

/// A pipe whose far end a test reads, or does not.
final class LogPipe {
    private let pipe = Pipe()

    var descriptor: Int32 { pipe.fileHandleForWriting.fileDescriptor }

    /// Everything that is in the pipe; closes it.
    func drain() throws -> String {
        try pipe.fileHandleForWriting.close()
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// Some of what is in the pipe; leaves room in it.
    func readSome() -> String {
        String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    }
}

@Suite struct StructuredLogTests {
    private static let time: TimeSource = { Timestamp(millisecondsSince1970: 1_800_000_000_123) }

    private func logger(_ pipe: LogPipe, _ format: LogFormat, sink: LogSink? = nil) -> Logger {
        let sink = sink ?? LogSink(descriptor: pipe.descriptor)
        return Logger(label: "worker") { label in
            StructuredLogHandler(label: label, format: format, sink: sink, level: .debug, time: Self.time)
        }
    }

    private func lines(_ text: String) throws -> [[String: String]] {
        try text.split(separator: "\n").map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        }
    }

    @Test func `each event is one JSON object on one line`() throws {
        let pipe = LogPipe()
        var logger = logger(pipe, .json)
        logger[metadataKey: "worker_id"] = "w1"
        logger.info("started", metadata: ["lanes": "3", "nested": ["a": "1", "b": ["x", "y"]]])
        logger.trace("not logged")
        logger.error("failed")
        let lines = try lines(pipe.drain())
        #expect(
            lines == [
                [
                    "time": "2027-01-15T08:00:00.123Z", "level": "info", "label": "worker", "message": "started",
                    "worker_id": "w1", "lanes": "3", "nested.a": "1", "nested.b.0": "x", "nested.b.1": "y",
                ],
                [
                    "time": "2027-01-15T08:00:00.123Z", "level": "error", "label": "worker", "message": "failed",
                    "worker_id": "w1",
                ],
            ])
    }

    @Test(arguments: [
        "two\nlines", "\r\u{1B}[31mred\u{7}", "\"quoted\" \\ back", "\u{2028}\u{202E}\u{85}", "{\"level\":\"fatal\"}",
        "ü 😀", "\u{200F}\u{61C}\u{FEFF}",
        "",
    ])
    func `text cannot break out of its field`(text: String) throws {
        for format in LogFormat.allCases {
            let pipe = LogPipe()
            logger(pipe, format).warning("\(text)", metadata: ["key": "\(text)", "\(text)": "value"])
            let written = try pipe.drain()
            #expect(written.count { $0 == "\n" } == 1 && written.hasSuffix("\n"))
            let controls = written.dropLast().unicodeScalars.filter { $0.properties.generalCategory == .control }
            #expect(controls.isEmpty)
            for mark in ["\u{202E}", "\u{200F}", "\u{61C}", "\u{FEFF}"] as [Unicode.Scalar] {
                #expect(!written.unicodeScalars.contains(mark))
            }
            if format == .json {
                let line = try #require(try lines(written).first)
                #expect(line["message"] == text && line["key"] == text)
            }
        }
    }

    @Test func `metadata never take the place of the line's own fields`() throws {
        let pipe = LogPipe()
        logger(pipe, .json).info("real", metadata: ["message": "false", "level": "false", "level_": "also"])
        let line = try #require(try lines(pipe.drain()).first)
        #expect(line["message"] == "real" && line["level"] == "info")
        #expect(line["message_"] == "false")
        #expect(Set(line.keys) == ["time", "level", "label", "message", "message_", "level_", "level__"])
    }

    @Test func `people get a readable line`() throws {
        let pipe = LogPipe()
        logger(pipe, .text).notice("lane put off", metadata: ["device": "d1", "why": "store away"])
        #expect(
            try pipe.drain()
                == "2027-01-15T08:00:00.123Z NOTICE   worker: lane put off device=d1 why=\"store away\"\n")
    }

    @Test func `long values are cut`() throws {
        let pipe = LogPipe()
        logger(pipe, .json).info("\(String(repeating: "x", count: 50_000))")
        let messages = try lines(pipe.drain()).map { $0["message"] }
        #expect(messages == [String(repeating: "x", count: 4096) + "…"])
    }

    @Test(.timeLimit(.minutes(1))) func `a reader that stops reading stops nobody, and hears what it missed`() throws {
        let pipe = LogPipe()
        let sink = LogSink(descriptor: pipe.descriptor, patience: .milliseconds(10))
        let logger = logger(pipe, .json, sink: sink)
        for number in 0..<5000 { logger.info("line \(number)") }
        // Room again: a part of the pipe is read, then the next line comes with the notice before it.
        let first = pipe.readSome()
        logger.info("after")
        // The line that found no room half-way stays half a line; the others are whole.
        let written = (first + (try pipe.drain())).split(separator: "\n")
        let later = try lines(written.suffix(2).joined(separator: "\n"))
        #expect(later.map { $0["message"] } == ["log lines were dropped", "after"])
        let dropped = try #require(later.first?["dropped"].flatMap { Int($0) })
        // Without the notice and the last line.
        let whole = written.count { $0.hasSuffix("}") } - 2
        #expect(dropped > 1000 && whole + dropped == 5000)
        #expect(written.count { !$0.hasSuffix("}") } <= 1)
    }
}
