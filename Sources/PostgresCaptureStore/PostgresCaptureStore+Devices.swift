package import CaptureModel
package import CaptureStore
import PostgresClient

extension PostgresCaptureStore {
    /// Registers a device, unless its key or its id belongs to another registration.
    package func register(_ registration: DeviceRegistration) async throws(StoreError) -> RegistrationOutcome {
        try await asStoreError { () throws(PostgresError) in
            try await client.withTransaction { connection throws(PostgresError) in
                switch try await Self.register(registration, on: connection) {
                case .made, .known: .created
                case .conflict: .conflict
                }
            }
        }
    }

    /// The outcome of a registration within its transaction.
    enum Registered {
        /// The device is new.
        case made
        /// The same device was registered before under the same id.
        case known
        /// Key or id belongs to another registration, and no device has changed.
        case conflict
    }

    /// Registers a device under the key's lock, which is the key's counters row.
    ///
    /// Settling takes the same lock, so a capture is decided either before or after a succession.
    static func register(
        _ registration: DeviceRegistration, on connection: PostgresConnection
    ) async throws(PostgresError) -> Registered {
        let device = registration.device
        let key = PostgresValue.bytes(device.keyID.bytes)
        let now = PostgresValue.timestamptz(device.registeredAt.storable)
        _ = try await connection.execute(Statements.ensureCounters, [key, now])
        _ = try await connection.execute(Statements.lockKey, [key])
        var notes: [AuditEntry] = []
        var superseded: PostgresValue?
        // It is a statement of its own, so that it sees what the previous holder of the lock has committed.
        if let holder = try await connection.execute(Statements.keyHolder, [key]).first {
            let holderID = try DeviceID(holder.uuid("id"))
            if holderID == device.id { return .known }
            guard try holder.keyHolder().givesWay(to: device) else { return .conflict }
            superseded = .uuid(holderID.uuid)
            let moment = try await connection.execute(
                Statements.supersede, [.uuid(holderID.uuid), .uuid(device.id.uuid)]
            ).first?.moment("superseded_at")
            notes.append(
                AuditEntry(
                    at: moment ?? device.registeredAt, actor: "gateway", action: .deviceSupersede,
                    subject: "\(holderID)", details: ["by": "\(device.id)"]))
        }
        guard try await connection.execute(Statements.insertDevice, registration.values).rowsAffected == 1 else {
            // The transaction may go on with other changes, so this change is undone by itself.
            if let superseded { _ = try await connection.execute(Statements.reinstate, [superseded]) }
            return .conflict
        }
        try await insertReceipt(of: registration, on: connection)
        if let check = registration.deviceCheck {
            _ = try await connection.execute(Statements.insertDeviceCheck, check.values(of: device.id))
        }
        notes.append(
            AuditEntry(
                at: device.registeredAt, actor: "gateway", action: .deviceRegister, subject: "\(device.id)",
                details: ["level": device.level.rawValue, "processor_version": ProcessorVersion.current]))
        _ = try await connection.execute(Statements.recordAudit, notes.values)
        return .made
    }

    /// The device that a key is registered as.
    package func holder(of key: KeyID) async throws(StoreError) -> Device? {
        try await asStoreError { () throws(PostgresError) in
            try await client.execute(Statements.deviceOfKey, [.bytes(key.bytes)]).first?.device()
        }
    }

    /// Reads devices; ids that are not registered are missing from the answer.
    package func devices(_ ids: [DeviceID]) async throws(StoreError) -> [DeviceID: Device] {
        guard !ids.isEmpty else { return [:] }
        return try await asStoreError { () throws(PostgresError) in
            let found =
                ids.count == 1
                ? try await client.execute(Statements.device, [.uuid(ids[0].uuid)])
                : try await client.execute(Statements.devices, [.uuidArray(ids.map(\.uuid))])
            var devices: [DeviceID: Device] = [:]
            for row in found.rows {
                let device = try row.device(
                    isRiskAwaited: row.bool("is_risk_awaited"), attestedApp: row.attestedApp())
                devices[device.id] = device
            }
            return devices
        }
    }

    /// Everything on one device, evidence included.
    package func record(of device: DeviceID) async throws(StoreError) -> DeviceRecord? {
        try await asStoreError { () throws(PostgresError) in
            try await client.execute(Statements.deviceRecord, [.uuid(device.uuid)]).first?.deviceRecord()
        }
    }

    /// Revokes a device from a moment on; the key's lock keeps it from racing with an attestation of the key.
    package func revoke(
        _ device: DeviceID, at moment: Timestamp?, reason: String, actor: String
    ) async throws(StoreError) -> Bool {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [
                .uuid(device.uuid), .optional(moment) { .timestamptz($0.storable) }, .text(reason), .text(actor),
            ]
            return try await client.withTransaction { connection throws(PostgresError) -> Bool in
                _ = try await connection.execute(Statements.lockKeyOfDevice, [.uuid(device.uuid)])
                return try await connection.execute(Statements.revoke, values).first?.int8("devices") == 1
            }
        }
    }

    /// Lists devices, newest first, after the given one.
    package func listDevices(after: DeviceID?, limit: Int) async throws(StoreError) -> [ListedDevice] {
        try await asStoreError { () throws(PostgresError) in
            let limit = PostgresValue.int8(Int64(max(0, limit)))
            let found =
                if let after {
                    try await client.execute(Statements.listDevicesAfter, [limit, .uuid(after.uuid)])
                } else {
                    try await client.execute(Statements.listDevices, [limit])
                }
            return try found.rows.map { row throws(PostgresError) in
                try ListedDevice(device: row.device(), compromisedSince: row.momentOptional("compromised_since"))
            }
        }
    }
}
