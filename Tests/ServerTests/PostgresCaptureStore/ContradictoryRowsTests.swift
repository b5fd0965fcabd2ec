import CaptureStore
import PostgresClient
import TestSupport
import Testing

@testable import PostgresCaptureStore

@Suite("Rows that contradict themselves", .timeLimit(.minutes(3)))
struct ContradictoryRowsTests {
    private static let revoked = "UPDATE devices SET revoked_at = now(), revoked_reason = 'lost', revoked_by = 'alice'"

    private static func check(_ columns: String, _ values: String) -> String {
        "INSERT INTO device_checks (device_id, checked_at, \(columns)) SELECT id, now(), \(values) FROM devices"
    }

    private static func receipt(_ column: String, _ value: String) -> String {
        """
        INSERT INTO receipts (device_id, receipt, received_at, outcome, \(column))
        SELECT id, '\\x00', now(), 'waiting', \(value) FROM devices
        """
    }

    @Test(arguments: [
        (
            "UPDATE devices SET compromised_since = now(), compromised_reason = 'lost', compromised_by = 'alice'",
            "devices_compromised"
        ),
        (
            "\(revoked); UPDATE devices SET compromised_since = now(), compromised_reason = 'lost'",
            "devices_compromised"
        ),
        ("\(revoked); UPDATE devices SET compromised_since = now(), compromised_by = 'alice'", "devices_compromised"),
        (check("standing, bit0, bit1", "'set', true, true"), "device_checks_set"),
        (check("standing, bit0, last_update", "'set', true, '2026-11'"), "device_checks_set"),
        (check("standing, bit1, last_update", "'set', true, '2026-11'"), "device_checks_set"),
        (check("standing, bit0", "'never_set', true"), "device_checks_set"),
        (check("standing", "'unknown'"), "device_checks_unknown"),
        (check("standing, reason", "'never_set', 'DEVICE_CHECK_UNAVAILABLE'"), "device_checks_unknown"),
        (receipt("risk_metric", "1"), "receipts_risk"),
        (receipt("risk_metric_at", "now()"), "receipts_risk"),
    ])
    func `the database refuses half a statement, and two that exclude each other`(
        _ sql: String, constraint: String
    ) async throws {
        try await withPostgresStore { store, client async throws in
            _ = try await store.registered()
            let error = await #expect(throws: PostgresError.self) {
                try await client.executeScript(sql)
            }
            #expect(error?.sqlState == "23514" && error?.message == "constraint \(constraint)", "\(error as Any)")
        }
    }
}
