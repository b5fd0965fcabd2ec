import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import FaultPoints
import Logging

/// One walk over the open rows of the ledger, page by page in the order of acceptance, that enqueues
/// what the queue does not know, or calls settled although it has no result.
///
/// Two walks at once do no harm: each puts a capture back only after all earlier ones of its device are there.
struct IntakeWalk: Sendable {
    let queue: any RestorableQueue
    let ledger: any IntakeLedger
    let store: any CaptureStore
    let bundles: any BundleStore
    let pageMax: Int
    let newMark: @Sendable () -> RestorationMark
    let faults: ArmedFaults
    let logger: Logger
    /// The dead letters that the walks of this program have put back because they have a result.
    let redriven = RememberedCaptures(max: 100_000)
    /// How long it goes on without asking where the partitions stand: the shortest lifetime of a mark is 10 s.
    var lookInterval: Duration = .seconds(2)

    /// What a walk has done.
    struct Progress: Sendable, Equatable {
        /// Captures that are in the queue again.
        var restored = 0
        /// The restored captures whose bytes are gone, and that were no dead letters before.
        var lost: [CaptureID] = []
        /// Captures that the queue does not take as they are.
        var invalid: [CaptureID] = []
        /// The place of the last row.
        var lastPlace: Int64 = 0
        /// The last dead letter that a sweep has noted in each partition.
        var lastDeadLetters: [Int: DeadLetter.Position] = [:]
        /// The partitions in which not everything was done: they refused, or somebody keeps a row of theirs locked.
        var refused: [Int: QueueError] = [:]
    }

    /// Puts everything back into partitions that may have lost data, and opens them for uploads again.
    ///
    /// One that refuses stays closed, and keeps the others from nothing. So does one with a row in the ledger that
    /// somebody keeps locked: later captures of its device would come before it.
    ///
    /// What is recorded after the restoration began was never lost: its gateway enqueues it once the partition is open.
    /// So the walk ends however fast uploads come.
    func restore(_ partitions: [Int]) async throws(ServerFault) -> Progress {
        var progress = Progress()
        var marks: [Int: RestorationMark] = [:]
        for partition in partitions {
            marks[partition] = try await asking(partition, &progress) { () async throws(QueueError) in
                try await begin(partition)
            }
        }
        let newest = try await ServerFault.askingStore { () async throws(StoreError) in
            try await ledger.newestPlace()
        }
        try await walk(marks, olderThan: .zero, upTo: newest, &progress)
        // Only those in which each row was looked at.
        for (partition, mark) in marks where progress.refused[partition] == nil {
            try await asking(partition, &progress) { () async throws(QueueError) in
                let restoration = try await queue.finishRestoration(of: partition, mark: mark)
                guard restoration == .restored(mark) else {
                    throw QueueError(.restoring, "data were lost during the restoration")
                }
            }
        }
        return progress
    }

    /// Enqueues what was recorded a while ago and never came to the queue, in partitions that are restored, and notes
    /// what has died there.
    func sweep(
        _ restorations: [Restoration], after place: Int64, deadLetters: [Int: DeadLetter.Position],
        olderThan grace: Duration
    ) async throws(ServerFault) -> Progress {
        var progress = Progress(lastPlace: place, lastDeadLetters: deadLetters, refused: restorations.refusals)
        var marks: [Int: RestorationMark] = [:]
        for (partition, restoration) in restorations.enumerated() where restoration.isRestored {
            marks[partition] = restoration.mark
        }
        try await walk(marks, olderThan: grace, &progress)
        for partition in marks.keys where progress.refused[partition] == nil {
            try await noteDeadLetters(in: partition, &progress)
        }
        return progress
    }

    private func begin(_ partition: Int) async throws(QueueError) -> RestorationMark {
        guard let mark = try await queue.beginRestoration(of: partition, mark: newMark()).mark else {
            throw QueueError(.restoring, "data were lost during the restoration")
        }
        return mark
    }

    private func walk(
        _ marks: [Int: RestorationMark], olderThan age: Duration, upTo newest: Int64 = .max, _ progress: inout Progress
    ) async throws(ServerFault) {
        var open = marks
        var asked = ContinuousClock.now
        while !open.isEmpty, progress.lastPlace < newest {
            let place = progress.lastPlace
            let page = try await ServerFault.askingStore { () async throws(StoreError) in
                try await ledger.openIntake(after: place, olderThan: age, limit: pageMax).filter { $0.place <= newest }
            }
            guard let last = page.last else { return }
            try await restore(page.filter { open[queue.partition(of: $0.device)] != nil }, open, &progress)
            progress.lastPlace = last.place
            // Captures behind a gap would get ahead of those that are missing.
            for partition in progress.refused.keys { open[partition] = nil }
            // There may be no other gateway: the marks of restored partitions would end meanwhile.
            guard asked.duration(to: .now) >= lookInterval else { continue }
            _ = try? await queue.restorations()
            asked = .now
        }
    }

    /// Puts back those captures of a page that the queue does not know, or falsely calls settled, and notes which ones
    /// are dead letters.
    ///
    /// A result is committed before the queue calls its capture settled. So what was settled after the page was read
    /// has no open row to claim, and an open row says that the queue is wrong.
    private func restore(
        _ page: [OpenIntake], _ marks: [Int: RestorationMark], _ progress: inout Progress
    ) async throws(ServerFault) {
        let presence = try await ServerFault.askingQueue { () async throws(QueueError) in
            try await queue.presence(of: page.map { ($0.capture, $0.device) })
        }
        for (row, presence) in zip(page, presence) {
            guard case .refused(let fault) = presence else { continue }
            progress.refused[queue.partition(of: row.device)] = fault
        }
        let dead = zip(page, presence).filter { $1 == .dead && !$0.isDead }.map(\.0.capture)
        let settled = Set(zip(page, presence).filter { $1 == .settled }.map(\.0.capture))
        let missing = zip(page, presence).filter { $1 == .unknown || $1 == .settled }.map(\.0)
        if !dead.isEmpty {
            try await ServerFault.askingStore { () async throws(StoreError) in try await ledger.noteDead(dead) }
        }
        let lost = try await claim(missing, &progress).map { entry in
            LostCapture(entry, isCalledSettled: settled.contains(entry.submission.id))
        }
        // In each partition the order of acceptance stays.
        let partitions = Dictionary(grouping: lost) { queue.partition(of: $0.submission.device) }
        for (partition, lost) in partitions {
            guard let mark = marks[partition], progress.refused[partition] == nil else { continue }
            try await put(lost, into: partition, under: mark, &progress)
        }
    }

    private func put(
        _ captures: [LostCapture], into partition: Int, under mark: RestorationMark, _ progress: inout Progress
    ) async throws(ServerFault) {
        faults.reach(.insideRestore)
        let settled = captures.count(where: \.isCalledSettled)
        if settled > 0 {
            logger.warning(
                "Redis calls captures settled that have no result: they are put back",
                metadata: ["captures": "\(settled)", "partition": "\(partition)"])
        }
        var rest = captures
        // Each call takes what stands first, or the next one does.
        for _ in 0...captures.count where !rest.isEmpty {
            let outcomes = try await asking(partition, &progress) { [rest] () async throws(QueueError) in
                try await queue.restore(rest, in: partition, under: mark)
            }
            for (capture, outcome) in zip(rest, outcomes ?? []) { note(outcome, of: capture, &progress) }
            rest = try await remaining(zip(rest, outcomes ?? []))
        }
        guard !rest.isEmpty else { return }
        progress.refused[partition] = QueueError(.busy, "bundles lead to one capture after another")
    }
}

extension LostCapture {
    /// The capture of an open row.
    /// - Parameter isCalledSettled: Whether the queue falsely calls it settled.
    init(_ entry: IntakeEntry, isCalledSettled: Bool) {
        self.init(submission: entry.submission, isRedriven: entry.isDead, isCalledSettled: isCalledSettled)
    }
}
