import CaptureModel
import CaptureQueue
import Foundation
import NIOCore
import Synchronization
import TestSupport

@testable import FilesystemBundleStore

/// A bundle directory of a test's own, with a record of every step taken in it.
final class BundleFolder: Sendable {
    let directory: URL
    let store: FilesystemBundleStore
    private let probe: Probe

    /// The steps that change something, and which one waits or fails.
    final class Probe: Sendable {
        private struct State {
            var steps: [FileStep] = []
            var failing: Int?
            var code: Int32 = 0
            var held: (step: Int, hold: Hold)?
        }
        private let state = Mutex(State())

        var steps: [FileStep] { state.withLock { $0.steps } }

        /// Forgets what was; the given step from now on, counted from 0, waits before it fails or is taken.
        func reset(failing index: Int? = nil, code: Int32 = ENOSPC, holding held: (step: Int, hold: Hold)? = nil) {
            state.withLock { $0 = State(failing: index, code: code, held: held) }
        }

        func take(_ step: FileStep) throws(FileFault) {
            let (code, hold) = state.withLock { state -> (Int32?, Hold?) in
                let number = state.steps.count
                state.steps.append(step)
                return (
                    state.failing == number ? state.code : nil, state.held?.step == number ? state.held?.hold : nil
                )
            }
            hold?.pass()
            if let code { throw FileFault(call: "injected", code: code) }
        }
    }

    /// Where a step waits until a test lets it go on.
    final class Hold: Sendable {
        private let arrivals = AsyncStream<Void>.makeStream()
        private let departure = DispatchSemaphore(value: 0)

        // Blocks a thread of the store, which is there for calls that block.
        func pass() {
            arrivals.continuation.yield()
            departure.wait()
        }

        func untilReached() async {
            for await _ in arrivals.stream { return }
        }

        func release() { departure.signal() }
    }

    /// Prepares the directory of an installation, any one if none is named.
    init(
        of installation: InstallationID = InstallationID(UUID()), limits: FilesystemBundleStore.Limits = .init()
    ) async throws {
        let directory = try TemporaryDirectory.make("bundles").appending(path: "store")
        let probe = Probe()
        self.directory = directory
        self.probe = probe
        store = FilesystemBundleStore(directory: directory.path, limits: limits) { step throws(FileFault) in
            try probe.take(step)
        }
        try await store.prepare(for: installation)
        probe.reset()
    }

    deinit {
        try? FileManager.default.removeItem(at: directory.deletingLastPathComponent())
    }

    /// The steps since the last reset.
    var steps: [FileStep] { probe.steps }

    func reset(failing index: Int? = nil, code: Int32 = ENOSPC, holding held: (step: Int, hold: Hold)? = nil) {
        probe.reset(failing: index, code: code, holding: held)
    }

    /// Where a capture's files are.
    func folder(of submission: CaptureSubmission) -> URL {
        directory.appending(path: "\(BundleDirectory.shard(of: submission.id))/\(submission.id)")
    }

    /// Sets a capture's folder back, as if it had lain for a time.
    func setBack(_ submission: CaptureSubmission, by age: TimeInterval) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: folder(of: submission).path)
    }

    /// Every file and folder of captures, as paths below the root.
    func contents() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0 != BundleDirectory.mark && $0.count > 2 }.sorted()
    }

    static let media = CaptureMedia(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))
}

extension FilesystemBundleStore.Limits {
    /// With one thread captures are worked in their order.
    static var oneThread: Self {
        var limits = Self()
        limits.threads = 1
        return limits
    }
}
