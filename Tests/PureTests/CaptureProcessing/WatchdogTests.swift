import CaptureModel
import Logging
import Observability
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("The watchdog")
struct WatchdogTests {
    private let running = RunningVerifications()
    private let captures: [CaptureID]

    init() {
        var maker = SubmissionMaker(seed: 1)
        captures = (0..<3).map { _ in maker.submission(of: maker.device()).id }
    }

    /// A deadline of a second is looked at every 100 ms.
    private var watchdog: Watchdog {
        Watchdog(
            limits: .init(jobDeadline: .seconds(1), memoryMax: 100 << 20), running: running,
            logger: Logger(label: "tests")
        ) { _, _, _ in Issue.record("nobody asked it to end the process") }
    }

    @Test func `a capture that takes longer than the deadline is named, and no other`() {
        let watchdog = watchdog
        running.with([captures[0]]) {
            for _ in 0..<6 { #expect(watchdog.look(after: .milliseconds(100), memory: nil) == nil) }
            running.with([captures[1]]) {
                for _ in 0..<4 { #expect(watchdog.look(after: .milliseconds(100), memory: nil) == nil) }
                let alarm = watchdog.look(after: .milliseconds(100), memory: nil)
                #expect(alarm?.suspects == [captures[0]])
                #expect(alarm?.fault == "its verification took longer than 1.0 seconds")
            }
        }
        #expect(watchdog.look(after: .milliseconds(100), memory: nil) == nil, "both are done")
    }

    @Test func `captures that are worked on together are named together`() {
        let watchdog = watchdog
        running.with(captures) {
            for _ in 0..<10 { #expect(watchdog.look(after: .milliseconds(100), memory: nil) == nil) }
            #expect(watchdog.look(after: .milliseconds(100), memory: nil)?.suspects == captures)
        }
        #expect(running.captures.isEmpty)
    }

    @Test func `the time in which the process was stopped is not charged`() {
        let watchdog = watchdog
        running.with([captures[0]]) {
            for _ in 0..<5 { #expect(watchdog.look(after: .seconds(3600), memory: nil) == nil) }
            #expect(watchdog.look(after: .seconds(3600), memory: nil)?.suspects == [captures[0]])
        }
    }

    @Test func `a capture that is verified again begins anew`() {
        let watchdog = watchdog
        for _ in 0..<30 {
            running.with([captures[0]]) { #expect(watchdog.look(after: .milliseconds(200), memory: nil) == nil) }
        }
    }

    @Test func `too much memory is blamed on whatever is being verified`() {
        let watchdog = watchdog
        #expect(watchdog.look(after: .zero, memory: 100 << 20) == nil)
        #expect(watchdog.look(after: .zero, memory: (100 << 20) + 1)?.suspects == [])
        running.with([captures[0]]) {
            running.with([captures[1]]) {
                let alarm = watchdog.look(after: .zero, memory: 200 << 20)
                #expect(alarm?.suspects == [captures[0], captures[1]])
                #expect(alarm?.fault.contains("100 MiB") == true)
            }
        }
    }

    @Test func `the process's own memory is known`() throws {
        #expect(ResidentMemory.pages(in: Array("12 345 6 7".utf8)[...]) == 345)
        #expect(ResidentMemory.pages(.anonymous, in: Array("12 345 6 7".utf8)[...]) == 339)
        #expect(ResidentMemory.pages(in: Array("12".utf8)[...]) == nil)
        #expect(try #require(ResidentMemory.bytes()) > 1 << 20)
    }
}
