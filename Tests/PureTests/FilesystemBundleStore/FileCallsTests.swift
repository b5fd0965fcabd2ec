import CaptureModel
import CaptureQueue
import TestSupport
import Testing

@testable import FilesystemBundleStore

@Suite("Calls that wait, run and hang")
struct FileCallsTests {
    private let subjects: [FileSubject]

    init() {
        var maker = SubmissionMaker(seed: 4)
        let device = maker.device()
        subjects = (0..<4).map { _ in .capture(maker.submission(of: device).id) }
    }

    private func enter(_ subject: FileSubject, _ calls: inout FileCalls) throws -> Int {
        try calls.enter(subject) { _ in }.get()
    }

    @Test func `a spare thread takes the place of one that hangs, while there are any`() throws {
        var calls = FileCalls(runningMax: 1, sparesMax: 1, backlogMax: 10)
        let ids = try subjects.map { try enter($0, &calls) }
        var begun: [Int?] = []
        begun += [calls.begin()?.id, calls.begin()?.id]
        #expect(begun == [ids[0], nil], "one runs at a time")
        let isFirstAwaited = calls.markHanging(ids[0])
        begun.append(calls.begin()?.id)
        let isSecondAwaited = calls.markHanging(ids[1])
        begun.append(calls.begin()?.id)
        #expect(isFirstAwaited && isSecondAwaited && begun.suffix(2) == [ids[1], nil], "both threads hang")
        let reason = calls.withdraw(ids[2])
        let isInTime = calls.finish(ids[0])
        let last = calls.begin()?.id
        #expect(reason?.code == .unavailable && !isInTime && last == ids[3])
    }

    @Test func `while a call runs or hangs no other is begun about the same, and then one is`() throws {
        var calls = FileCalls(runningMax: 2, sparesMax: 2, backlogMax: 10)
        let hanging = try enter(subjects[0], &calls)
        var begun: [Int?] = [calls.begin()?.id]
        let waiting = try enter(subjects[0], &calls)
        begun.append(calls.begin()?.id)
        _ = calls.markHanging(hanging)
        begun.append(calls.begin()?.id)
        #expect(begun == [hanging, nil, nil])
        #expect(throws: QueueError(.outcomeUnknown, "")) { try enter(subjects[0], &calls) }
        let other = try enter(subjects[1], &calls)
        begun.append(calls.begin()?.id)
        #expect(begun.last == other, "about another it is, past the one that waits")
        let reason = calls.withdraw(waiting)
        #expect(reason?.code == .outcomeUnknown)
        let patient = try calls.enter(subjects[0], isPatient: true) { _ in }.get()
        begun.append(calls.begin()?.id)
        _ = calls.finish(hanging)
        begun.append(calls.begin()?.id)
        #expect(begun.suffix(2) == [nil, patient])
    }

    @Test func `writes that hang have no spares, and keep no read from being begun`() throws {
        var calls = FileCalls(runningMax: 2, sparesMax: 2, backlogMax: 10)
        let writes = try subjects.prefix(3).map { subject in try calls.enter(subject, isWrite: true) { _ in }.get() }
        for write in writes.prefix(2) {
            let begun = calls.begin()?.id
            let isAwaited = calls.markHanging(write)
            #expect(begun == write && isAwaited)
        }
        let read = try enter(subjects[3], &calls)
        var begun: [Int?] = [calls.begin()?.id, calls.begin()?.id]
        #expect(begun == [read, nil])
        _ = calls.finish(writes[0])
        begun.append(calls.begin()?.id)
        #expect(begun.last == writes[2])
    }

    @Test func `a call that nobody waits for any more is not begun, or runs on and may hang`() throws {
        var calls = FileCalls(runningMax: 1, sparesMax: 1, backlogMax: 10)
        let ids = try subjects.prefix(3).map { try enter($0, &calls) }
        _ = calls.begin()
        var deserted = [calls.desert(ids[0]), calls.desert(ids[0]), calls.desert(ids[1])]
        #expect(deserted == [true, false, true])
        let beside = calls.begin()?.id
        let isAwaited = calls.markHanging(ids[0])
        let next = calls.begin()?.id
        #expect(beside == nil && !isAwaited && next == ids[2])
        deserted = [calls.desert(ids[0]), calls.desert(ids[2])]
        let areInTime = [calls.finish(ids[0]), calls.finish(ids[2])]
        #expect(deserted == [false, true] && areInTime == [false, false])
    }

    @Test func `only so many calls run or wait`() throws {
        var calls = FileCalls(runningMax: 1, sparesMax: 1, backlogMax: 2)
        let first = try enter(subjects[0], &calls)
        _ = calls.begin()
        _ = try enter(subjects[1], &calls)
        let fault = #expect(throws: QueueError.self) { try enter(subjects[2], &calls) }
        #expect(fault?.code == .busy)
        let isInTime = calls.finish(first)
        #expect(isInTime)
        _ = try enter(subjects[2], &calls)
    }
}
