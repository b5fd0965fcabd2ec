import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// The doctor's report while Redis or PostgreSQL is away, or lets nothing be read: what the other one shows, and the
/// bundle directory.
struct OutageReport {
    private let session: OperatorSession
    private let queueFault: QueueError?
    private let recordFault: StoreError?

    /// Asks both whether they answer, and the record whether it may be read; `nil` if all is so.
    init?(_ session: OperatorSession) async {
        var (queueFault, recordFault) = (QueueError?.none, StoreError?.none)
        do throws(StoreError) {
            let unread = try await session.store.missingRights().filter(\.isToRead)
            if !unread.isEmpty {
                let parts = unread.map(\.part).joined(separator: ", ")
                recordFault = StoreError(.refused, "the user of postgres.url may not read \(parts)")
            }
        } catch {
            recordFault = error
        }
        do throws(QueueError) { _ = try await session.queue.serverTime() } catch { queueFault = error }
        guard queueFault != nil || recordFault != nil else { return nil }
        self.session = session
        self.queueFault = queueFault
        self.recordFault = recordFault
    }

    /// Makes the checks that are possible; the report's fault is that of the server that is away.
    func report() async throws -> DoctorReport {
        var report = DoctorReport()
        report.fault = queueFault
        if let recordFault {
            report.fault = recordFault
            report.checks.append(
                Self.away(DoctorReport.postgres, recordFault.message, "nothing is settled, and nobody registers"))
        } else {
            report.checks += try await record()
        }
        if let queueFault {
            report.checks.append(Self.away(DoctorReport.redis, queueFault.message, "uploads get 503, and workers wait"))
        } else {
            report.checks += try await queue()
        }
        let files = [
            await WriteCheck(session: session).files(),
            await FileCheck(session: session, hasRecord: false).directory(),
        ]
        report.checks += files.compactMap(\.self)
        let seen = Set(report.checks.map(\.name))
        report.checks += DoctorReport.all(hasFiles: session.files != nil).filter { !seen.contains($0) }.map {
            DoctorCheck.notLookedAt($0, "this needs both servers, or the one that has the problem")
        }
        return report
    }

    private static func away(_ name: String, _ found: String, _ meaning: String) -> DoctorCheck {
        .problem(
            name, found, meaning,
            repair: "RUNBOOKS.md, \"CaptureServerAway\"; is it the server that the settings mean?")
    }

    private func record() async throws -> [DoctorCheck] {
        let checks = try await ServerChecks(session: session).record()
        return checks + [try await WriteCheck(session: session).record()]
    }

    private func queue() async throws -> [DoctorCheck] {
        let servers = ServerChecks(session: session)
        var checks = [try await servers.library(), try await servers.partitions()]
        checks.append(try await WriteCheck(session: session).queue())
        guard !checks.contains(where: { $0.name != DoctorReport.queueWrites && $0.state == .problem }) else {
            return checks
        }
        let progress = Progress()
        defer { progress.finish() }
        let examination = try await QueueDoctor(queue: session.queue).examine {
            progress.show("doctor: \($0) keys looked at")
        }
        checks += try await WorkerCheck.look(at: session.queue, examination)
        return checks + DoctorReport.checks(of: examination)
    }
}
