import CaptureModel
import CaptureStore
import FoundationEssentials
import PostgresClient

extension DeviceRegistration {
    /// The values in the order of the statement that inserts a device.
    var values: [PostgresValue] {
        [
            .uuid(device.id.uuid),
            .bytes(device.keyID.bytes),
            .text(device.algorithm.rawValue),
            .optional(device.publicKey) { .bytes($0) },
            .text(device.level.rawValue),
            .optional(device.environment) { .text($0.rawValue) },
            .optional(device.appID) { .text($0) },
            .optional(device.trustRoot) { .text($0) },
            .optional(device.unverifiedReason) { .text($0) },
            .text(device.platform),
            .text(device.model),
            .bool(device.hasLidar),
            .timestamptz(device.registeredAt.storable),
            .optional(attestationObject) { .bytes($0) },
            .optional(clientDataHash) { .bytes($0) },
            .bytesArray(certificateChain),
            .optional(receipt) { .bytes($0) },
            .optional(osVersion) { .text($0) },
            .optional(validationCategory) { .int4(Int32(clamping: $0)) },
            .optional(bundleVersion) { .text($0) },
        ]
    }
}

extension DeviceCheckState {
    /// The values in the order of the statement that inserts it.
    func values(of device: DeviceID) -> [PostgresValue] {
        [
            .uuid(device.uuid), .text(standing.rawValue), .optional(bit0) { .bool($0) }, .optional(bit1) { .bool($0) },
            .optional(lastUpdate) { .text($0) }, .optional(reason) { .text($0) }, .timestamptz(checkedAt.storable),
        ]
    }
}

extension [AuditEntry] {
    /// The values in the order of the statement that records entries.
    var values: [PostgresValue] {
        get throws(PostgresError) {
            let details = try map { entry throws(PostgresError) in try entry.detailsJSON }
            return [
                .timestamptzArray(map(\.at.storable)), .textArray(map(\.actor)), .textArray(map(\.action)),
                .textArray(map(\.subject)), .textArray(details),
            ]
        }
    }
}

extension AuditEntry {
    /// The details as a JSON object; a fault is thrown, as an entry without them would be incomplete.
    fileprivate var detailsJSON: String {
        get throws(PostgresError) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            do {
                return String(decoding: try encoder.encode(details), as: UTF8.self)
            } catch {
                throw PostgresError(.decoding, "the details of \(action) have no JSON")
            }
        }
    }
}
