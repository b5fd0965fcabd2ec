import CaptureModel
import Foundation
package import TestSupport

/// Sees every change that takes a stored counter down, while a run goes on: none ever may.
///
/// A trigger in the run's own database notes it within the transaction that does it, so that none is between two looks.
package struct CounterWatch: Sendable {
    private let postgres: PrivatePostgres
    private let database: String

    private static let installation = """
        CREATE TABLE counter_regressions (
            key_id bytea NOT NULL, before bigint NOT NULL, after bigint,
            noted_at timestamptz NOT NULL DEFAULT clock_timestamp());
        CREATE FUNCTION note_counter_regression() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
            INSERT INTO counter_regressions (key_id, before, after) VALUES
                (OLD.key_id, OLD.capture_highest, CASE WHEN TG_OP = 'UPDATE' THEN NEW.capture_highest END);
            RETURN NULL;
        END $$;
        CREATE TRIGGER counter_lowered AFTER UPDATE ON counters FOR EACH ROW
            WHEN (NEW.capture_highest < OLD.capture_highest OR NEW.key_id <> OLD.key_id)
            EXECUTE FUNCTION note_counter_regression();
        CREATE TRIGGER counter_deleted AFTER DELETE ON counters FOR EACH ROW
            EXECUTE FUNCTION note_counter_regression();
        """

    private static let regressions = """
        SELECT 'key ' || encode(key_id, 'hex') || ': ' || before || ', then ' || coalesce(after::text, 'gone')
            || ' at ' || noted_at FROM counter_regressions ORDER BY noted_at
        """

    /// Puts the trigger into a database that has its tables already.
    package static func install(in database: String, of postgres: PrivatePostgres) async throws -> CounterWatch {
        try await postgres.psql(installation, database: database)
        return CounterWatch(postgres: postgres, database: database)
    }

    /// What went down.
    package func regressions() async throws -> [String] {
        try await postgres.psql(Self.regressions, database: database).split(separator: "\n").map(String.init)
    }
}
