import CaptureModel
import CaptureQueue
import CaptureSettings
import CaptureStore
import FilesystemBundleStore
import PostgresCaptureStore
import RedisCaptureQueue

/// Checks that the servers and the bundle directory take writes: one that does not still answers every question.
///
/// Nothing is written for it, so a full disk of PostgreSQL goes unnoticed.
struct WriteCheck: Sendable {
    let session: OperatorSession

    /// Checks Redis.
    func queue() async throws(QueueError) -> DoctorCheck {
        let refusals: [WriteRefusal]
        do throws(QueueError) {
            refusals = try await WriteRefusal.read(from: session.redis)
        } catch {
            guard error.code == .refused else { throw error }
            return .notLookedAt(DoctorReport.queueWrites, "Redis does not tell: \(error.message)")
        }
        guard !refusals.isEmpty else { return .ok(DoctorReport.queueWrites, "nothing is in their way") }
        // Without the functions it cannot be told what takes the room: then all that may help is named.
        let load = try? await session.queue.load()
        return .problem(
            DoctorReport.queueWrites, refusals.map(\.found).joined(separator: "; "),
            refusals.map { $0.meaning(load) }.joined(separator: "; "),
            repair: refusals.map { $0.repair(load) }.joined(separator: "; "))
    }

    /// Checks PostgreSQL; throws if its user may not even read all that there is.
    func record() async throws(StoreError) -> DoctorCheck {
        let missing = try await session.store.missingRights()
        let unread = missing.filter(\.isToRead)
        guard unread.isEmpty else {
            let parts = unread.map(\.part).joined(separator: ", ")
            throw StoreError(.refused, "the user of postgres.url may not read \(parts)")
        }
        do throws(StoreError) {
            try await session.store.ping()
        } catch {
            guard let refusal = Self.refusal(error.scope) else { throw error }
            return .problem(
                DoctorReport.recordWrites, refusal.found,
                "no result is settled, no device registered, and with a ledger no upload taken; --fix repairs nothing",
                repair: refusal.repair)
        }
        guard missing.isEmpty else {
            return .problem(
                DoctorReport.recordWrites,
                "the user of postgres.url lacks \(TerminalText.count(missing.count, "right"))",
                """
                gateways answer 500 to what needs one of them; a worker that needs one waits as if PostgreSQL were \
                away; --fix repairs nothing
                """,
                repair: "capturectl migrate --grant-to and its name, as the user that owns the tables",
                examples: missing.map(\.description))
        }
        return .ok(DoctorReport.recordWrites, "nothing is in their way, unless its disk is full: the logs tell")
    }

    /// What keeps PostgreSQL from writing, and what to do about it; `nil` if it does not even read.
    private static func refusal(_ scope: StoreError.Scope) -> (found: String, repair: String)? {
        switch scope {
        case .writers:
            let repair = """
                let postgres.url lead to the primary; where it does, RESET default_transaction_read_only \
                (ALTER SYSTEM, DATABASE or ROLE)
                """
            return ("PostgreSQL only reads: transaction_read_only is on", repair)
        case .limit: return ("PostgreSQL has no transaction ids left", "see \(DoctorReport.ids)")
        case .content, .damage, .everybody: return nil
        }
    }

    /// Checks the bundle directory; `nil` if new bytes are kept elsewhere.
    func files() async -> DoctorCheck? {
        guard session.settings.bundleStore == .filesystem, let files = session.files else { return nil }
        let limits = session.queue.configuration
        do throws(QueueError) {
            return Self.files(try await files.room(), bundleBytesMax: limits.photoBytesMax + limits.depthBytesMax)
        } catch {
            return .notLookedAt(DoctorReport.fileWrites, "the bundle directory cannot be asked")
        }
    }

    /// The line about the room in the bundle directory.
    static func files(_ room: BundleRoom, bundleBytesMax: Int) -> DoctorCheck {
        if let refusal = room.refusal {
            return .problem(
                DoctorReport.fileWrites, refusal.found, "uploads are refused, however much room is left",
                repair: refusal.repair)
        }
        let bytes = TerminalText.bytes(room.bytes)
        guard !room.takes(bundleBytesMax) else { return .ok(DoctorReport.fileWrites, "\(bytes) are free") }
        let files = room.files.map { " and room for \(TerminalText.count($0, "file"))" } ?? ""
        return .problem(
            DoctorReport.fileWrites, "the bundle directory is full: it has \(bytes)\(files) left",
            """
            uploads get 503; the largest bundle takes \(TerminalText.bytes(bundleBytesMax)) and \
            \(BundleRoom.filesPerBundle) files and folders
            """,
            repair: "make room on its disk; workers go on and remove what is settled")
    }
}

extension BundleRoom.Refusal {
    /// What was found.
    fileprivate var found: String {
        switch self {
        case .readOnly: "the bundle directory's file system is mounted read-only"
        case .mode: "the bundle directory's owner may not write in it"
        }
    }

    /// What to do about it.
    fileprivate var repair: String {
        switch self {
        case .readOnly: "mend its disk (dmesg tells the fault), and mount it for writing"
        case .mode: "chmod u+w"
        }
    }
}

extension WriteRefusal {
    /// What was found.
    fileprivate var found: String {
        switch self {
        case .replica(let primary): "Redis is a replica of \(primary)"
        case .full(let taken, let most):
            "Redis has taken \(TerminalText.bytes(taken)) of its \(TerminalText.bytes(most)) (maxmemory)"
        case .appendFailed: "Redis could not write its append-only file (MISCONF)"
        case .snapshotFailed: "Redis could not write its last snapshot (MISCONF)"
        case .replicasMissing(let there, let needed):
            "Redis wants \(TerminalText.count(needed, "replica")) in step (min-replicas-to-write) and has \(there)"
        }
    }

    /// What it means.
    /// - Parameter load: What the queue holds; `nil` if it does not tell.
    fileprivate func meaning(_ load: QueueLoad?) -> String {
        switch self {
        case .full:
            load?.captures == 0
                ? "uploads get 503 until there is room again; nothing waits, so workers make none"
                : "uploads get 503 until there is room again; workers go on and make some"
        case .replica, .appendFailed, .snapshotFailed, .replicasMissing: "uploads get 503, and workers wait"
        }
    }

    /// What to do about it.
    /// - Parameter load: What the queue holds; `nil` if it does not tell.
    fileprivate func repair(_ load: QueueLoad?) -> String {
        switch self {
        case .replica: "let redis.url lead to the primary; where there is none any more, REPLICAOF NO ONE"
        case .full: Self.waysToRoom(load).joined(separator: ", or ")
        case .appendFailed: "make room on its disk"
        case .snapshotFailed: "make room on its disk, then BGSAVE; Config/redis.conf takes no snapshots"
        case .replicasMissing: "bring them back; CONFIG SET min-replicas-to-write 0 until then, if none is primary now"
        }
    }

    private static func waysToRoom(_ load: QueueLoad?) -> [String] {
        var ways: [String] = []
        if load?.captures != 0 { ways.append("start more workers") }
        if load?.deadLetters != 0 { ways.append("decide about dead letters") }
        ways.append("raise maxmemory as far as the machine has it")
        ways.append("let known bundles end sooner (RUNBOOKS.md, \"CaptureRedisFilling\")")
        return ways
    }
}
