import CaptureModel

/// One step of the schema, up and down, from the numbered pair of files in `Config/Migrations`.
package struct Migration: Sendable, Equatable {
    /// Its number, from 1 without a gap.
    package let version: Int
    /// The name of its files after the number.
    package let name: String
    let up: String
    let down: String

    /// Memberwise; the program's own are ``all``.
    package init(version: Int, name: String, up: String, down: String) {
        self.version = version
        self.name = name
        self.up = up
        self.down = down
    }

    /// The tables, and the columns of other tables, that its way down drops together with their data.
    package var dropped: [String] {
        down.split(separator: ";").flatMap { statement -> [String] in
            if let table = statement.firstMatch(of: /DROP TABLE (\w+)/) { return [String(table.1)] }
            guard let table = statement.firstMatch(of: /ALTER TABLE (\w+)/) else { return [] }
            return statement.matches(of: /DROP COLUMN (\w+)/).map { "\(table.1).\($0.1)" }
        }
    }

    /// Distinguishes an edited migration from the released one: SHA-256 over both directions.
    package var checksum: String {
        SHA256Digest.hash(Array("\(up)\u{0}\(down)".utf8)).hex
    }

    /// All migrations of this program, in order.
    package static let all = [
        Migration(
            1, "initial", up: PackageResources._001_initial_up_sql, down: PackageResources._001_initial_down_sql),
        Migration(
            2, "capture_settle", up: PackageResources._002_capture_settle_up_sql,
            down: PackageResources._002_capture_settle_down_sql),
        Migration(3, "intake", up: PackageResources._003_intake_up_sql, down: PackageResources._003_intake_down_sql),
        Migration(
            4, "intake_claims", up: PackageResources._004_intake_claims_up_sql,
            down: PackageResources._004_intake_claims_down_sql),
        Migration(5, "archive", up: PackageResources._005_archive_up_sql, down: PackageResources._005_archive_down_sql),
        Migration(
            6, "receipts", up: PackageResources._006_receipts_up_sql, down: PackageResources._006_receipts_down_sql),
        Migration(7, "devices", up: PackageResources._007_devices_up_sql, down: PackageResources._007_devices_down_sql),
        Migration(
            8, "enrolment", up: PackageResources._008_enrolment_up_sql, down: PackageResources._008_enrolment_down_sql),
        Migration(
            9, "known_devices", up: PackageResources._009_known_devices_up_sql,
            down: PackageResources._009_known_devices_down_sql),
        Migration(
            10, "intake_close", up: PackageResources._010_intake_close_up_sql,
            down: PackageResources._010_intake_close_down_sql),
        Migration(
            11, "intake_again", up: PackageResources._011_intake_again_up_sql,
            down: PackageResources._011_intake_again_down_sql),
        Migration(
            12, "statistics", up: PackageResources._012_statistics_up_sql,
            down: PackageResources._012_statistics_down_sql),
        Migration(
            13, "settle_plans", up: PackageResources._013_settle_plans_up_sql,
            down: PackageResources._013_settle_plans_down_sql),
        Migration(
            14, "resends", up: PackageResources._014_resends_up_sql, down: PackageResources._014_resends_down_sql),
        Migration(
            15, "received", up: PackageResources._015_received_up_sql, down: PackageResources._015_received_down_sql),
        Migration(16, "kept", up: PackageResources._016_kept_up_sql, down: PackageResources._016_kept_down_sql),
        Migration(
            17, "photo_order", up: PackageResources._017_photo_order_up_sql,
            down: PackageResources._017_photo_order_down_sql),
        Migration(
            18, "photo_chains", up: PackageResources._018_photo_chains_up_sql,
            down: PackageResources._018_photo_chains_down_sql),
        Migration(
            19, "key_registrations", up: PackageResources._019_key_registrations_up_sql,
            down: PackageResources._019_key_registrations_down_sql),
        Migration(
            20, "ended_enrolments", up: PackageResources._020_ended_enrolments_up_sql,
            down: PackageResources._020_ended_enrolments_down_sql),
        Migration(
            21, "ledger_time", up: PackageResources._021_ledger_time_up_sql,
            down: PackageResources._021_ledger_time_down_sql),
        Migration(
            22, "attested_apps", up: PackageResources._022_attested_apps_up_sql,
            down: PackageResources._022_attested_apps_down_sql),
        Migration(
            23, "signed_hash", up: PackageResources._023_signed_hash_up_sql,
            down: PackageResources._023_signed_hash_down_sql),
        Migration(
            24, "settle_cost", up: PackageResources._024_settle_cost_up_sql,
            down: PackageResources._024_settle_cost_down_sql),
        Migration(
            25, "installation", up: PackageResources._025_installation_up_sql,
            down: PackageResources._025_installation_down_sql),
        Migration(
            26, "settle_successions", up: PackageResources._026_settle_successions_up_sql,
            down: PackageResources._026_settle_successions_down_sql),
        Migration(
            27, "session_digests", up: PackageResources._027_session_digests_up_sql,
            down: PackageResources._027_session_digests_down_sql),
        Migration(
            28, "signed_resends", up: PackageResources._028_signed_resends_up_sql,
            down: PackageResources._028_signed_resends_down_sql),
        Migration(
            29, "verified_bundles", up: PackageResources._029_verified_bundles_up_sql,
            down: PackageResources._029_verified_bundles_down_sql),
        Migration(
            30, "verified_rows", up: PackageResources._030_verified_rows_up_sql,
            down: PackageResources._030_verified_rows_down_sql),
        Migration(
            31, "intake_locks", up: PackageResources._031_intake_locks_up_sql,
            down: PackageResources._031_intake_locks_down_sql),
        Migration(
            32, "device_versions", up: PackageResources._032_device_versions_up_sql,
            down: PackageResources._032_device_versions_down_sql),
        Migration(
            33, "settle_own_counters", up: PackageResources._033_settle_own_counters_up_sql,
            down: PackageResources._033_settle_own_counters_down_sql),
        Migration(
            34, "succeeded_bundles", up: PackageResources._034_succeeded_bundles_up_sql,
            down: PackageResources._034_succeeded_bundles_down_sql),
        Migration(
            35, "counter_highest", up: PackageResources._035_counter_highest_up_sql,
            down: PackageResources._035_counter_highest_down_sql),
        Migration(
            36, "intake_wait", up: PackageResources._036_intake_wait_up_sql,
            down: PackageResources._036_intake_wait_down_sql),
        Migration(
            37, "ledger_word", up: PackageResources._037_ledger_word_up_sql,
            down: PackageResources._037_ledger_word_down_sql),
        Migration(
            38, "kept_devices", up: PackageResources._038_kept_devices_up_sql,
            down: PackageResources._038_kept_devices_down_sql),
    ]

    private init(_ version: Int, _ name: String, up: [UInt8], down: [UInt8]) {
        self.init(
            version: version, name: name, up: String(decoding: up, as: UTF8.self),
            down: String(decoding: down, as: UTF8.self))
    }
}
