package import CaptureModel

/// The record and the ledger as lists: what operators page through, count and search.
///
/// Every answer is bounded and found by index, however many results there are.
package protocol CaptureArchive: Sendable {
    /// Captures that pass a filter, newest first, after a place in their order.
    ///
    /// Results come from the record. Captures without a result come from the intake ledger, if there is one; the queue
    /// knows their state.
    /// - Parameter limit: 1 to ``PageLimit/itemsMax``, and one more; of a higher one that many are read.
    func list(
        _ filter: CaptureFilter, after: CapturePosition?, limit: Int
    ) async throws(StoreError) -> [ArchivedCapture]

    /// The first 100 captures, oldest first, whose photo has a digest, or whose bundle has it by a row of the ledger.
    func captures(of digest: SHA256Digest) async throws(StoreError) -> [CaptureID]

    /// The signed bytes of a device's capture that was received; `nil` when it is not known.
    /// - Parameter device: The capture's device: another device's capture may have the same id.
    func assertion(of capture: CaptureID, from device: DeviceID) async throws(StoreError) -> [UInt8]?

    /// What became of the captures of a device that were received from a moment on, counted up to
    /// ``DeviceTally/countMax`` of each kind.
    func tally(of device: DeviceID, from: Timestamp) async throws(StoreError) -> DeviceTally

    /// The captures that the record or the ledger has, and the devices, whose ids begin with a prefix:
    /// ``FoundIDs/eachMax`` of each at the most.
    func ids(beginningWith prefix: IDPrefix) async throws(StoreError) -> FoundIDs

    /// What operators and programs did, latest first.
    ///
    /// It looks at ``AuditLogPage/looksMax`` entries at the most, and at none long before or after the filter's times.
    /// An entry is found by its time if the clock of the program that has noted it is no more than five minutes off.
    /// - Parameters:
    ///   - before: Only what comes before this entry.
    ///   - limit: 1 to ``PageLimit/itemsMax``, and one more; of a higher one that many are read.
    func auditLog(
        _ filter: AuditFilter, before: Int64?, limit: Int
    ) async throws(StoreError) -> AuditLogPage
}
