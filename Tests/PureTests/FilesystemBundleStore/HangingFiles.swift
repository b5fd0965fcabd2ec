import CaptureModel
import CaptureQueue
import Dispatch
import Foundation
import Synchronization
import TestSupport

@testable import FilesystemBundleStore

/// A bundle directory of a test's own, in which what it names does not answer until it lets it.
final class HangingFiles: Sendable {
    let store: FilesystemBundleStore
    /// The same directory for what a test needs before anything hangs: a busy disk may take its time for that.
    private let patient: FilesystemBundleStore
    private let steps: Hang
    private let directory: URL

    private final class Hang: Sendable {
        private struct State {
            var names: Set<String> = []
            var refused: Set<String> = []
            var reached: [String] = []
        }
        private let state = Mutex(State())
        private let release = DispatchSemaphore(value: 0)

        func set(_ names: Set<String>) { state.withLock { $0.names = names } }

        func refuse(_ names: Set<String>) { state.withLock { $0.refused = names } }

        func reached(_ name: String) -> Int { state.withLock { $0.reached.count { $0 == name } } }

        // Blocks a thread of the store, which is there for calls that block.
        func take(_ step: FileStep) throws(FileFault) {
            let isRefused = state.withLock { $0.refused.contains { "\(step)".contains($0) } }
            if isRefused { throw FileFault(call: "openat", code: EMFILE) }
            let isHung = state.withLock { state in
                guard let name = state.names.first(where: { "\(step)".contains($0) }) else { return false }
                state.reached.append(name)
                return true
            }
            if isHung { release.wait() }
        }

        func end() {
            let reached = state.withLock { state in
                state.names = []
                return state.reached.count
            }
            for _ in 0..<reached { release.signal() }
        }
    }

    /// - Parameter timeout: Long enough for a busy disk to prove that it answers, and waited out by each file that hangs.
    init(threads: Int = 1, timeout: Duration = .seconds(10)) async throws {
        let directory = try TemporaryDirectory.make("bundles")
        let hang = Hang()
        var limits = FilesystemBundleStore.Limits()
        (limits.threads, limits.timeout) = (threads, timeout)
        self.directory = directory
        steps = hang
        let path = directory.appending(path: "store").path
        store = FilesystemBundleStore(directory: path, limits: limits) { step throws(FileFault) in
            try hang.take(step)
        }
        var patience = FilesystemBundleStore.Limits()
        (patience.threads, patience.timeout) = (1, .seconds(60))
        patient = FilesystemBundleStore(directory: path, limits: patience)
        try await patient.prepare(for: InstallationID(UUID()))
    }

    deinit {
        steps.end()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Stores a capture's bytes, whatever hangs.
    func put(_ media: CaptureMedia, of submission: CaptureSubmission) async throws {
        try await patient.put(media, of: submission)
    }

    /// Lets every step hang from now on in whose words one of these is.
    func hang(_ names: String...) { steps.set(Set(names)) }

    /// Lets every step fail from now on in whose words one of these is, as if the program lacked descriptors.
    func refuse(_ names: String...) { steps.refuse(Set(names)) }

    /// How many steps have come to hang for a name.
    func reached(_ name: String) -> Int { steps.reached(name) }

    /// Lets everything answer.
    func release() { steps.end() }
}
