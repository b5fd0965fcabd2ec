import CaptureModel
import Foundation
import TestSupport

/// Reads what PostgreSQL holds, with its own client and not with the system's.
struct RecordReader: Sendable {
    let postgres: PrivatePostgres
    let database: String

    private static let results = """
        SELECT id, device_id, encode(sha256(assertion), 'hex'), encode(photo_digest, 'hex'),
            encode(depth_digest, 'hex'), encode(sha256(metadata), 'hex'), verdict, reason, counter,
            (extract(epoch FROM settled_at) * 1000000)::bigint
        FROM captures
        """

    private static let highest = """
        SELECT devices.id, counters.capture_highest FROM devices JOIN counters USING (key_id)
        """

    /// Every result.
    func rows() async throws -> [RecordRow] {
        try await query(Self.results).map { fields in
            guard fields.count == 10, let capture = CaptureID(fields[0]), let device = DeviceID(fields[1]),
                let settledAt = Int64(fields[9])
            else { throw LeashedProcess.Failure(description: "not a result: \(fields)") }
            let reason = Reason(recorded: fields[7])
            return RecordRow(
                capture: capture, bundle: .init(text: fields[1...5].joined(separator: " ")), device: device,
                verdict: fields[6] == "verified" ? .verified : .rejected(reason), counter: UInt32(fields[8]),
                settledAt: Timestamp(microsecondsSince1970: settledAt)
            )
        }
    }

    /// Each device's highest accepted counter.
    func counters() async throws -> [DeviceID: UInt32] {
        var counters: [DeviceID: UInt32] = [:]
        for fields in try await query(Self.highest) {
            guard fields.count == 2, let device = DeviceID(fields[0]), let counter = UInt32(fields[1]) else {
                throw LeashedProcess.Failure(description: "not a counter: \(fields)")
            }
            counters[device] = counter
        }
        return counters
    }

    /// Captures of the ledger that wait for a result.
    func openRows() async throws -> [String] {
        try await query("SELECT capture_id, recorded_at FROM intake WHERE closed_at IS NULL ORDER BY place")
            .map { "capture \($0.joined(separator: ", recorded "))" }
    }

    /// How many results there are.
    func count() async throws -> Int {
        Int(try await query("SELECT count(*) FROM captures").first?.first ?? "") ?? 0
    }

    private func query(_ statement: String) async throws -> [[String]] {
        try await postgres.psql(statement, database: database).split(separator: "\n")
            .map { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }
    }
}
