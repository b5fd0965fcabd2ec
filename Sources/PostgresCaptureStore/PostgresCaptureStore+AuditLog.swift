import CaptureModel
package import CaptureStore
import PostgresClient

extension PostgresCaptureStore {
    /// How far the times of neighbouring entries may be apart the wrong way round: programs note them by their own
    /// clocks, each at most half of this off, and transactions take a while.
    private static let auditClockSlack = Duration.seconds(600)

    /// The audit entries that pass a filter, latest first.
    package func auditLog(
        _ filter: AuditFilter, before: Int64?, limit: Int
    ) async throws(StoreError) -> AuditLogPage {
        try await auditLog(filter, before: before, limit: limit, looksMax: AuditLogPage.looksMax)
    }

    /// The audit entries that pass a filter, among the latest `looksMax`.
    func auditLog(
        _ filter: AuditFilter, before: Int64?, limit: Int, looksMax: Int
    ) async throws(StoreError) -> AuditLogPage {
        let limit = ArchivePage.within(limit)
        return try await asStoreError { () throws(PostgresError) in
            // All statements are of one span: an entry that is noted between them would move the last one's end.
            let span = try await auditSpan(filter, before)
            let looks = PostgresValue.int8(Int64(looksMax))
            let isOfSubject = !filter.subject.isEmpty
            let subject: [PostgresValue] = isOfSubject ? [.text(filter.subject)] : []
            let values: [PostgresValue] = [
                .int8(Int64(limit)), looks, .text(filter.action), .textArray(filter.omitted.map(\.rawValue)),
                .text(filter.actor), .timestamptz((filter.from ?? Self.ever.lowerBound).storable),
                .timestamptz((filter.before ?? Self.ever.upperBound).storable),
            ]
            let log = isOfSubject ? Statements.auditLogOfSubject : Statements.auditLog
            let entries = try await client.execute(log, span + values + subject).rows.map {
                row throws(PostgresError) in
                try NumberedAuditEntry(number: row.int8("id"), entry: row.auditEntry())
            }
            let place = isOfSubject ? Statements.auditPlaceOfSubject : Statements.auditPlace
            guard entries.count < limit, let last = try await client.execute(place, span + [looks] + subject).first
            else { return AuditLogPage(entries: entries, end: nil) }
            let end = try AuditLogPage.Place(number: last.int8("id"), at: last.moment("at"))
            return AuditLogPage(entries: entries, end: end)
        }
    }

    private static let ever =
        Timestamp(microsecondsSince1970: .min)...Timestamp(microsecondsSince1970: .max)

    /// The place before which a page of the audit begins, and the one at which it ends at the latest.
    ///
    /// It begins at the place that is asked for, or behind the newest entry, and not behind the filter's times.
    private func auditSpan(_ filter: AuditFilter, _ before: Int64?) async throws(PostgresError) -> [PostgresValue] {
        var start = try await auditStart(before)
        if let end = filter.before { start = min(start, try await auditPlace(end.advanced(by: Self.auditClockSlack))) }
        var first: Int64 = 0
        if let from = filter.from { first = try await auditPlace(from.advanced(by: .zero - Self.auditClockSlack)) }
        return [.int8(start), .int8(first)]
    }

    private func auditStart(_ before: Int64?) async throws(PostgresError) -> Int64 {
        if let before { return before }
        let values: [PostgresValue] = [.int8(.max), .int8(0), .int8(1)]
        let newest = try await client.execute(Statements.auditPlace, values).first?.int8("id")
        return newest.map { $0 + 1 } ?? .max
    }

    /// Where the entries since a moment begin.
    private func auditPlace(_ moment: Timestamp) async throws(PostgresError) -> Int64 {
        try await client.execute(Statements.auditMoment, [.timestamptz(moment.storable)]).first?.int8("id") ?? 0
    }
}
