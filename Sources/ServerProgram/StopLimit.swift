import CaptureModel
import Dispatch
import Glibc
import Logging
import ServiceLifecycle

/// Logs that a stop has begun, and ends a program that was told to stop and does not, whatever holds it up.
///
/// It is the last of a program's services, and so the first to hear of a stop. It also listens to the signals itself,
/// and keeps time on a queue of its own: every thread on which the others would hear of the stop may be blocked.
struct StopLimit: Service {
    /// `EX_TEMPFAIL` of sysexits.h: work was left unfinished, and whoever is started next goes on with it.
    static let exitCode: Int32 = 75
    /// How long cancelled tasks have to release what they hold.
    static let grace: Duration = .seconds(5)

    /// How long the program may take to finish what is in flight.
    let limit: Duration
    /// Which program it is, for logs.
    let program: ProgramName
    /// Told what happens, each once.
    let logger: Logger

    /// The kind of service, for logs.
    var description: String { "StopLimit" }

    /// Waits for the stop, and returns with the time running.
    func run() async throws {
        let queue = DispatchQueue(label: "stop limit")
        let sources = [SIGTERM, SIGINT].map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { endLater(on: queue) }
            source.resume()
            return source
        }
        // Ends with the service group's cancellation as well: that is a stop, too, whose fault is told elsewhere.
        let isToldToStop = (try? await gracefulShutdown()) != nil
        endLater(on: queue)
        // Not on the queue, which keeps the time: the log may block.
        if isToldToStop {
            logger.notice(
                program == .gateway ? "gateway is stopping" : "worker is stopping", metadata: ["limit": "\(limit)"])
        }
        withExtendedLifetime(sources) {}
    }

    private static let lastResort = DispatchQueue(label: "stop limit, last resort")

    /// Ends the process after the limit, unless it has stopped in good order by then.
    private func endLater(on queue: DispatchQueue) {
        let (limit, logger) = (limit, logger)
        let wait = DispatchTimeInterval.milliseconds(Int((limit + Self.grace) / .milliseconds(1)))
        queue.asyncAfter(deadline: .now() + wait) {
            // Scheduled first, and on a queue of its own: whatever blocks the program may block its log, too.
            Self.lastResort.asyncAfter(deadline: .now() + .seconds(1)) { _exit(Self.exitCode) }
            logger.critical(
                "the program did not stop in its time and is ended",
                metadata: ["limit": "\(limit)", "exit_code": "\(Self.exitCode)"])
            // Not `exit`: its handlers may wait for the very threads that do not come back.
            _exit(Self.exitCode)
        }
    }
}
