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
        Migration(1, "audit", up: PackageResources._001_audit_up_sql, down: PackageResources._001_audit_down_sql),
        Migration(2, "devices", up: PackageResources._002_devices_up_sql, down: PackageResources._002_devices_down_sql),
        Migration(3, "results", up: PackageResources._003_results_up_sql, down: PackageResources._003_results_down_sql),
        Migration(4, "intake", up: PackageResources._004_intake_up_sql, down: PackageResources._004_intake_down_sql),
        Migration(
            5, "intake_close", up: PackageResources._005_intake_close_up_sql,
            down: PackageResources._005_intake_close_down_sql),
        Migration(6, "settle", up: PackageResources._006_settle_up_sql, down: PackageResources._006_settle_down_sql),
        Migration(
            7, "receipts", up: PackageResources._007_receipts_up_sql, down: PackageResources._007_receipts_down_sql),
        Migration(
            8, "known_devices", up: PackageResources._008_known_devices_up_sql,
            down: PackageResources._008_known_devices_down_sql),
        Migration(
            9, "enrolment", up: PackageResources._009_enrolment_up_sql, down: PackageResources._009_enrolment_down_sql),
        Migration(
            10, "installation", up: PackageResources._010_installation_up_sql,
            down: PackageResources._010_installation_down_sql),
        Migration(11, "guards", up: PackageResources._011_guards_up_sql, down: PackageResources._011_guards_down_sql),
        Migration(
            12, "given_ids", up: PackageResources._012_given_ids_up_sql,
            down: PackageResources._012_given_ids_down_sql),
    ]

    private init(_ version: Int, _ name: String, up: [UInt8], down: [UInt8]) {
        self.init(
            version: version, name: name, up: String(decoding: up, as: UTF8.self),
            down: String(decoding: down, as: UTF8.self))
    }
}
