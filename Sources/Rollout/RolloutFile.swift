package import AppAttest
package import CaptureModel
import Foundation
import Glibc
package import Logging
import NIOPosix
import Observability
import ServiceLifecycle
import Waiting

/// Keeps the policy in force up to date with its file, without a restart.
///
/// The file is read each ``interval``; it may be changed in place, by renaming, or by a changed link. When it is
/// missing, too large, not a regular file or no valid policy, the policy in force stays. That is logged once, and shown
/// in the metrics and to operators for as long as it lasts.
///
/// A file system that hangs delays the start, as nothing can be judged before. Later the policy in force stays until
/// the file system answers, and the program can still stop.
package struct RolloutFile: Service {
    /// The policy in force.
    package let inForce: RolloutInForce

    private let path: String?
    private let known: [AppID]
    private let interval: Duration
    private let now: TimeSource
    private let logger: Logger

    /// Reads the file for the first time, until two consecutive reads agree.
    /// - Parameters:
    ///   - path: The file; `nil` for none, so that nothing is judged.
    ///   - known: The apps that are accepted at all.
    ///   - interval: The time between two reads; a change is in force after the second read that finds it.
    ///   - now: The wall clock, which tells since when a policy is in force.
    ///   - logger: Logs changes of the policy and faults of the file.
    /// - Throws: ``RolloutFault`` when the file cannot be read or is no valid policy.
    package init(
        path: String?, known: [AppID], interval: Duration, now: @escaping TimeSource, logger: Logger
    ) async throws(RolloutFault) {
        try await self.init(path: path, known: known, interval: interval, now: now, logger: logger) {
            // If the wait is cancelled, so is the next read, which ends the start.
            try? await Task.sleep(for: min(interval, Self.startPause))
        }
    }

    /// Reads the file for the first time.
    /// - Parameter wait: Waits between two reads.
    init(
        path: String?, known: [AppID], interval: Duration, now: @escaping TimeSource, logger: Logger,
        waiting wait: () async -> Void
    ) async throws(RolloutFault) {
        self.path = path
        self.known = known
        self.interval = interval
        self.now = now
        self.logger = logger
        var policy = RolloutPolicy.none
        if let path { policy = try RolloutPolicy(yaml: await Self.settled(path, wait), known: known) }
        inForce = RolloutInForce(policy, since: path == nil ? nil : now())
    }

    /// The pause between two reads at the start, during which the program waits.
    private static let startPause = Duration.milliseconds(100)
    private static let startLooksMax = 50

    /// Returns what two consecutive reads agree on: a half-written policy may be valid, too.
    private static func settled(_ path: String, _ wait: () async -> Void) async throws(RolloutFault) -> [UInt8] {
        var last = try await startLook(at: path)
        for _ in 1..<startLooksMax {
            await wait()
            let found = try await startLook(at: path)
            guard found != last else { return found }
            last = found
        }
        throw RolloutFault("is being written all the time")
    }

    private static func startLook(at path: String) async throws(RolloutFault) -> [UInt8] {
        let found: Result<[UInt8], RolloutFault>
        do {
            found = try await look(at: path)
        } catch {
            throw RolloutFault("was not read before the start was cancelled")
        }
        return try found.get()
    }

    /// Reads the file regularly until graceful shutdown or cancellation; without a file it only waits for these.
    package func run() async throws {
        guard let path else {
            // A cancellation is no error here: it means that other services did not stop in time.
            try? await gracefulShutdown()
            return
        }
        announce()
        try await untilStopped { try await watch(path) }
    }

    private func watch(_ path: String) async throws {
        var watch = RolloutWatch(inForce: inForce.policy.digest, known: known)
        while true {
            try await Task.sleep(for: interval)
            let found = try await Self.look(at: path)
            act(on: watch.look(found))
        }
    }

    /// Reads the file on a thread of the pool for blocking calls.
    ///
    /// A read that hangs blocks one such thread, and there is never a second read. Its caller ends when it is
    /// cancelled.
    private static func look(at path: String) async throws -> Result<[UInt8], RolloutFault> {
        let (looks, look) = AsyncStream.makeStream(of: Result<[UInt8], RolloutFault>.self)
        NIOThreadPool.singleton.submit { _ in
            look.yield(Result { () throws(RolloutFault) in try Self.read(path) })
            look.finish()
        }
        for await found in looks { return found }
        throw CancellationError()
    }

    private func act(on action: RolloutWatch.Action) {
        switch action {
        case .nothing: return
        case .install(let policy):
            inForce.install(policy, at: now())
            CaptureMetrics.rolloutReload(.loaded)
            announce()
        case .keep(let fault):
            inForce.note(fault)
            CaptureMetrics.rolloutReload(.refused)
            CaptureMetrics.rolloutFile(isInForce: false)
            logger.error(
                "the rollout's file is no policy; the one in force stays",
                metadata: ["fault": "\(fault)", "policy": "\(inForce.policy.digest)"])
        case .recover:
            inForce.note(nil)
            CaptureMetrics.rolloutFile(isInForce: true)
            logger.notice(
                "the rollout's file is the policy in force again", metadata: ["policy": "\(inForce.policy.digest)"])
        }
    }

    /// Reports the policy in force, with the same time in metrics as in answers to operators.
    private func announce() {
        let standing = inForce.standing
        CaptureMetrics.rolloutFile(isInForce: true)
        if let since = standing.since { CaptureMetrics.rolloutInForce(since: since) }
        logger.notice(
            "a rollout policy is in force",
            metadata: ["policy": "\(standing.policy.digest)", "apps": "\(standing.policy.summary)"])
    }

    /// Reads a regular file only: a pipe would wait for a writer.
    private static func read(_ path: String) throws(RolloutFault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw RolloutFault("cannot be read") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { try? handle.close() }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw RolloutFault("cannot be read") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw RolloutFault("is no file") }
        do {
            return Array(try handle.read(upToCount: RolloutPolicy.bytesMax + 1) ?? Data())
        } catch {
            throw RolloutFault("cannot be read")
        }
    }
}
