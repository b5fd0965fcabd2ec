package import CaptureModel
package import CaptureStore
import PostgresClient

extension PostgresCaptureStore: ReceiptStore {
    /// Claims a receipt with one statement, which passes over rows that other workers are claiming at this moment.
    package func claimReceipt(
        lease: Duration, token: Int64, passingOver environments: Set<KeyEnvironment>
    ) async throws(StoreError) -> ClaimedReceipt? {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [
                .int8(token), .int8(lease.wholeMicroseconds), .textArray(environments.map(\.rawValue)),
            ]
            guard let row = try await client.execute(Statements.claimReceipt, values).first else { return nil }
            return try ClaimedReceipt(
                token: token, device: row.device(), clientDataHash: row.bytesOptional("client_data_hash"),
                receipt: row.bytes("held_receipt"), receivedAt: row.moment("received_at"),
                notBefore: row.momentOptional("not_before"), attempts: Int(row.int4("attempts")))
        }
    }

    /// Settles a claim; a lost claim changes nothing, as its token is no longer there.
    package func settle(
        _ claim: ClaimedReceipt, as settlement: ReceiptSettlement, at moment: Timestamp
    ) async throws(StoreError) -> Bool {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [
                .uuid(claim.device.id.uuid), .int8(claim.token), .text(settlement.outcome.rawValue),
                .optional(settlement.reason) { .text($0.rawValue) }, .int4(Int32(clamping: settlement.attempts)),
                .timestamptz(moment.storable), .optional(settlement.next?.notBefore) { .timestamptz($0.storable) },
                .optional(settlement.renewal?.notBefore) { .timestamptz($0.storable) },
                .optional(settlement.renewal?.receipt) { .bytes($0) },
                .optional(settlement.renewal?.riskMetric) { .int4(Int32(clamping: $0)) },
                .optional(settlement.next) { .int8($0.pause.wholeMicroseconds) },
            ]
            return try await client.execute(Statements.settleReceipt, values).first?.int8("settled") == 1
        }
    }

    /// The standing of a device's receipt.
    package func receipt(of device: DeviceID) async throws(StoreError) -> ReceiptStanding? {
        try await asStoreError { () throws(PostgresError) in
            guard let row = try await client.execute(Statements.receiptStanding, [.uuid(device.uuid)]).first else {
                return nil
            }
            return try ReceiptStanding(
                outcome: row.value("outcome"), reason: row.valueOptional("reason"),
                attempts: Int(row.int4("attempts")), receivedAt: row.moment("received_at"),
                askedAt: row.momentOptional("asked_at"), nextAt: row.momentOptional("next_at"))
        }
    }

    /// Keeps the receipt of a registration, in the registration's transaction.
    static func insertReceipt(
        of registration: DeviceRegistration, on connection: PostgresConnection
    ) async throws(PostgresError) {
        let device = registration.device
        guard device.level == .secureEnclave, let receipt = registration.receipt, !receipt.isEmpty else { return }
        let registeredAt = PostgresValue.timestamptz(device.registeredAt.storable)
        let outcome: ReceiptOutcome = registration.receiptRejection == nil ? .waiting : .ended
        _ = try await connection.execute(
            Statements.insertReceipt,
            [
                .uuid(device.id.uuid), .bytes(receipt), .optional(registration.clientDataHash) { .bytes($0) },
                registeredAt, .text(outcome.rawValue),
                .optional(registration.receiptRejection) { .text($0.rawValue) },
                registration.receiptRejection == nil ? registeredAt : .null,
            ])
    }
}
