package import CaptureModel
package import CaptureQueue
package import CaptureStore
package import Observability
import Waiting

/// What a process can tell of itself when it is asked: whether its servers answer, and its metrics.
///
/// Values that are states and not events are read for the answer, at a cost that does not depend on how much waits, and
/// within a time limit that always holds.
package struct Vitals: Sendable {
    private let registry: PrometheusRegistry?
    private let queue: any ReadableQueue
    private let store: any CaptureStore
    private let bundles: BundleProbe?
    private let timeout: Duration
    private let gauges: @Sendable () -> Void
    private let onAnswer: @Sendable (BackingServer, ProbedServer) -> Void
    /// Shared: hundreds of scrapes at once would delay each other past the timeout.
    private let looks = SharedAnswer<[BackingServer: Bool]>()
    private let expositions = SharedAnswer<String?>()

    /// Names whom to ask.
    /// - Parameters:
    ///   - registry: What the process has counted; `nil` shows nothing.
    ///   - queue: Asked how full it is.
    ///   - store: Asked whether it answers.
    ///   - bundles: The bundle directory, which is looked for while it is away; `nil` where there is none.
    ///   - timeout: How long each may take.
    ///   - gauges: Measures whatever else there is before metrics are shown.
    ///   - onAnswer: Told what was found of each server that was asked; it keeps `capture_dependency_up`.
    package init(
        registry: PrometheusRegistry?, queue: any ReadableQueue, store: any CaptureStore,
        bundles: BundleProbe? = nil, timeout: Duration = .seconds(1), gauges: @escaping @Sendable () -> Void = {},
        onAnswer: @escaping @Sendable (BackingServer, ProbedServer) -> Void
    ) {
        self.registry = registry
        self.queue = queue
        self.store = store
        self.bundles = bundles
        self.timeout = timeout
        self.gauges = gauges
        self.onAnswer = onAnswer
    }

    /// Whether the bundle directory is away.
    package var areBundlesAway: Bool { bundles?.isAway ?? false }

    /// Asks both servers at once whether they answer in time; callers that come meanwhile share the answer.
    ///
    /// A queue or record for which too many calls of this process wait counts as up. It usually is; if not, the calls
    /// that wait for it find out. A record that accepts no connection for too long is not busy: its client tells the two
    /// apart.
    ///
    /// A queue with a damaged key counts as up, and the log tells the fault. Every gateway meets the same key: if none
    /// were ready because of it, a load balancer would have nowhere to send requests that do not need the key.
    package func servers() async -> [BackingServer: Bool] {
        await looks.value { await look() }
    }

    private func look() async -> [BackingServer: Bool] {
        let (queue, store) = (queue, store)
        async let queueOutcome = Probe.outcome(within: timeout) { await Self.ask(queue) }
        async let storeOutcome = Probe.outcome(within: timeout) { await Self.ask(store) }
        async let bundlesLook: Void? = bundles?.look(within: timeout)
        let outcomes = [BackingServer.redis: await queueOutcome, .postgres: await storeOutcome]
        _ = await bundlesLook
        for (server, outcome) in outcomes { ProbedServer(outcome).map { onAnswer(server, $0) } }
        return outcomes.mapValues { outcome in
            switch outcome {
            case .answered, .busy, .damaged: true
            case .refused, .failed: false
            }
        }
    }

    /// Prometheus's text of everything; `nil` when the process keeps no metrics.
    ///
    /// Without its servers the numbers of the process are still worth having: the queue's are then the last known ones,
    /// and `capture_dependency_up` says that they are old.
    package func exposition() async -> String? {
        guard let registry else { return nil }
        return await expositions.value {
            _ = await servers()
            gauges()
            CaptureMetrics.residentMemory(ResidentMemory.bytes())
            return registry.render()
        }
    }

    private static func ask(_ queue: any ReadableQueue) async -> Probe.Outcome {
        do throws(QueueError) {
            note(try await queue.load())
            return .answered
        } catch {
            if error.isOfDamagedKey { return .damaged("\(error)") }
            return error.code == .busy ? .busy : error.isRefusal ? .refused("\(error)") : .failed("\(error)")
        }
    }

    private static func ask(_ store: any CaptureStore) async -> Probe.Outcome {
        do throws(StoreError) {
            try await store.ping()
            return .answered
        } catch {
            return error.code == .busy ? .busy : error.isRefusal ? .refused("\(error)") : .failed("\(error)")
        }
    }

    private static func note(_ load: QueueLoad) {
        CaptureMetrics.queueFill(
            captures: load.captures, capturesMax: load.capturesMax, bytes: load.bytes, bytesMax: load.bytesMax,
            ratio: load.fill)
        CaptureMetrics.queueOldestAge(load.oldestLaneAge ?? .zero)
        CaptureMetrics.queueLanes(.ready, load.readyLanes)
        CaptureMetrics.queueLanes(.delayed, load.delayedLanes)
        CaptureMetrics.queueLanes(.leased, load.leasedLanes)
        CaptureMetrics.queueCare(deadLetters: load.deadLetters, isPaused: load.isPaused)
    }
}
