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

    /// The steps that change something, and which one fails.
    final class Probe: Sendable {
        private let state = Mutex<(steps: [FileStep], failing: Int?, code: Int32)>(([], nil, 0))

        var steps: [FileStep] { state.withLock { $0.steps } }

        /// Forgets what was; the given step from now on, counted from 0, fails.
        func reset(failing index: Int? = nil, code: Int32 = ENOSPC) {
            state.withLock { $0 = ([], index, code) }
        }

        func take(_ step: FileStep) throws(FileFault) {
            let code = state.withLock { state -> Int32? in
                defer { state.steps.append(step) }
                return state.failing == state.steps.count ? state.code : nil
            }
            if let code { throw FileFault(call: "injected", code: code) }
        }
    }

    init(limits: FilesystemBundleStore.Limits = .init()) async throws {
        let directory = try TemporaryDirectory.make("bundles").appending(path: "store")
        let probe = Probe()
        self.directory = directory
        self.probe = probe
        store = FilesystemBundleStore(directory: directory.path, limits: limits) { step throws(FileFault) in
            try probe.take(step)
        }
        try await store.prepare()
        probe.reset()
    }

    deinit {
        try? FileManager.default.removeItem(at: directory.deletingLastPathComponent())
    }

    /// The steps since the last reset.
    var steps: [FileStep] { probe.steps }

    func reset(failing index: Int? = nil, code: Int32 = ENOSPC) { probe.reset(failing: index, code: code) }

    /// Where a capture's files are.
    func folder(of submission: CaptureSubmission) -> URL {
        directory.appending(path: "\(BundleDirectory.shard(of: submission.id))/\(submission.id)")
    }

    /// Every file and folder of captures, as paths below the root.
    func contents() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0 != BundleDirectory.mark && $0.count > 2 }.sorted()
    }

    static let bundle = CaptureBundle(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))
}
