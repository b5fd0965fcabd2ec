package import CaptureModel
package import CaptureStore
import FoundationEssentials
import PostgresClient

extension PostgresCaptureStore: CaptureArchive {
    /// Captures that pass a filter, newest first: results, and open rows of the ledger if the filter includes those.
    package func list(
        _ filter: CaptureFilter, after: CapturePosition?, limit: Int
    ) async throws(StoreError) -> [ArchivedCapture] {
        let page = ArchivePage(filter, after: after, limit: limit)
        // The open rows are read first: a capture that is settled in between is then found twice, and not missed.
        let open = filter.meansOpen ? try await self.open(filter.device, page) : []
        let settled = try await self.settled(filter, page)
        let known = Set(settled.map(\.id))
        let all = settled + open.filter { !known.contains($0.id) }
        return Array(all.sorted { $0.position.precedes($1.position) }.prefix(page.limit))
    }

    private func open(_ device: DeviceID?, _ page: ArchivePage) async throws(StoreError) -> [ArchivedCapture] {
        try await asStoreError { () throws(PostgresError) in
            let result =
                if let device {
                    try await client.execute(Statements.listOpenOfDevice, page.values + [.uuid(device.uuid)])
                } else {
                    try await client.execute(Statements.listOpen, page.values)
                }
            return try result.rows.archived { _ throws(PostgresError) in nil }
        }
    }

    private func settled(_ filter: CaptureFilter, _ page: ArchivePage) async throws(StoreError) -> [ArchivedCapture] {
        let confidences = filter.confidences
        guard !confidences.isEmpty else { return [] }
        let wanted = PostgresValue.textArray(confidences.map(\.rawValue))
        let reasons = PostgresValue.textArray(filter.reasons.map(\.rawValue))
        return try await asStoreError { () throws(PostgresError) in
            let result =
                switch (filter.device, filter.reasons.isEmpty) {
                case (let device?, true):
                    try await client.execute(
                        Statements.listOfDevice, [wanted] + page.values + [.uuid(device.uuid)])
                case (let device?, false):
                    try await client.execute(
                        Statements.listOfDeviceByReason, [reasons] + page.values + [.uuid(device.uuid)])
                case (nil, true): try await client.execute(Statements.listByConfidence, [wanted] + page.values)
                case (nil, false): try await client.execute(Statements.listByReason, [reasons] + page.values)
                }
            return try result.rows.archived { row throws(PostgresError) in try row.archivedResult() }
        }
    }

    /// Captures whose photo or bundle has a digest; the first 100, oldest first.
    package func captures(of digest: SHA256Digest) async throws(StoreError) -> [CaptureID] {
        try await asStoreError { () throws(PostgresError) in
            let rows = try await client.execute(Statements.capturesOfDigest, [.bytes(digest.bytes)]).rows
            return try rows.map { row throws(PostgresError) in try CaptureID(row.uuid("id")) }
        }
    }

    /// The signed bytes of a device's capture that was received; `nil` when it is not known.
    package func assertion(of capture: CaptureID, from device: DeviceID) async throws(StoreError) -> [UInt8]? {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [.uuid(capture.uuid), .uuid(device.uuid)]
            return try await client.execute(Statements.captureAssertion, values).first?.bytes("assertion")
        }
    }

    /// Counts the captures of a device that were received from a moment on by their outcomes, up to a limit.
    package func tally(of device: DeviceID, from: Timestamp) async throws(StoreError) -> DeviceTally {
        try await asStoreError { () throws(PostgresError) in
            let most = Int64(DeviceTally.countMax)
            let values: [PostgresValue] = [.uuid(device.uuid), .timestamptz(from.storable), .int8(most)]
            return try await DeviceTally(client.execute(Statements.deviceTally, values).rows)
        }
    }

    /// The captures and devices whose ids begin with a prefix.
    package func ids(beginningWith prefix: IDPrefix) async throws(StoreError) -> FoundIDs {
        try await asStoreError { () throws(PostgresError) in
            let values: [PostgresValue] = [
                .uuid(prefix.lowest.uuid), .uuid(prefix.highest.uuid), .int8(Int64(FoundIDs.eachMax)),
            ]
            var found = FoundIDs()
            for row in try await client.execute(Statements.idsBeginning, values).rows {
                let id = try row.uuid("id")
                if try row.bool("is_device") {
                    found.devices.append(DeviceID(id))
                } else if found.captures.count < FoundIDs.eachMax {
                    found.captures.append(CaptureID(id))
                }
            }
            return found
        }
    }
}

/// A page's beginning, end and length.
struct ArchivePage {
    let start: CapturePosition
    let from: Timestamp
    let limit: Int

    init(_ filter: CaptureFilter, after: CapturePosition?, limit: Int) {
        self.limit = Self.within(limit)
        from = filter.from ?? Timestamp(microsecondsSince1970: .min)
        // This excludes captures received at the end itself: no id comes before all zeros.
        let end = filter.before.map { CapturePosition(receivedAt: $0, capture: CaptureID(UUID(uuid: zeros))) }
        let whole = CapturePosition(
            receivedAt: Timestamp(microsecondsSince1970: .max), capture: CaptureID(UUID(uuid: zeros)))
        start = [after, end].compactMap { $0 }.reduce(whole) { $0.precedes($1) ? $1 : $0 }
    }

    /// A limit within 1 and the largest page's, with the one more that shows the caller that there are others.
    static func within(_ limit: Int) -> Int { min(max(1, limit), PageLimit.itemsMax + 1) }

    /// The values in the order of the statements.
    var values: [PostgresValue] {
        [
            .timestamptz(start.receivedAt.storable), .uuid(start.capture.uuid), .timestamptz(from.storable),
            .int8(Int64(limit)),
        ]
    }
}

private let zeros: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

extension Sequence<PostgresRow> {
    /// The captures of a list, each with its result.
    fileprivate func archived(
        _ result: (PostgresRow) throws(PostgresError) -> ArchivedCapture.Result?
    ) throws(PostgresError) -> [ArchivedCapture] {
        try map { row throws(PostgresError) in
            try ArchivedCapture(
                id: CaptureID(row.uuid("id")), device: DeviceID(row.uuid("device_id")),
                receivedAt: row.moment("received_at"), result: result(row))
        }
    }
}

extension PostgresRow {
    fileprivate func archivedResult() throws(PostgresError) -> ArchivedCapture.Result {
        try ArchivedCapture.Result(
            verdict: value("verdict"), reason: reason(), confidence: value("confidence"),
            counter: counterOptional("counter"), counterHighest: counterOptional("counter_highest"),
            attempts: Int(int4("attempts")), isRedriven: bool("redriven"), verifiedAt: moment("verified_at"),
            compromisedSince: momentOptional("compromised_since"))
    }
}
