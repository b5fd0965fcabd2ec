import NIOCore
import Synchronization

/// The connections of an event loop whose requests were sent ahead of their answers, and wait for their turns.
///
/// They follow in the order in which they came, at the ``PipelinePace``. Those behind a connection that closes move up.
final class PipelineTurns {
    private let loop: any EventLoop
    private var pace: PipelinePace
    /// What goes on, by the numbers of those who wait: at most one for each connection.
    private var waiting: [Int: () -> Void] = [:]
    /// No one with a lower number waits.
    private var first = 1
    private var last = 0
    /// Whether a task is on its way that lets the next ones go on.
    private var isScheduled = false

    /// Begins with a rest.
    init(on loop: any EventLoop) {
        self.loop = loop
        pace = PipelinePace(at: loop.now)
    }

    /// Calls `goOn` once it is its turn, in a task of the event loop, even if that is at once.
    /// - Returns: The number to leave by.
    func join(_ goOn: @escaping () -> Void) -> Int {
        last += 1
        waiting[last] = goOn
        schedule()
        return last
    }

    /// Gives a place up; nothing happens if its turn has come.
    func leave(_ number: Int) {
        waiting[number] = nil
    }

    private func schedule() {
        guard !isScheduled, !waiting.isEmpty else { return }
        isScheduled = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(deadline: pace.next(at: loop.now)) { bound.value.letGoOn() }
    }

    private func letGoOn() {
        while !waiting.isEmpty, pace.take(at: loop.now) { takeFirst()?() }
        isScheduled = false
        schedule()
    }

    private func takeFirst() -> (() -> Void)? {
        while first <= last {
            defer { first += 1 }
            if let goOn = waiting.removeValue(forKey: first) { return goOn }
        }
        return nil
    }
}

/// The turns of a server's event loops.
final class PipelineLoops: Sendable {
    private let byLoop = Mutex<[ObjectIdentifier: NIOLoopBound<PipelineTurns>]>([:])

    /// The turns of an event loop, on which this is called.
    func turns(on loop: any EventLoop) -> NIOLoopBound<PipelineTurns> {
        byLoop.withLock { loops in
            let key = ObjectIdentifier(loop)
            if let turns = loops[key] { return turns }
            let turns = NIOLoopBound(PipelineTurns(on: loop), eventLoop: loop)
            loops[key] = turns
            return turns
        }
    }
}
