package import CaptureModel

/// The latest receipts of attested devices: the due one, its last outcome, and the risk that it names.
///
/// One worker at a time works a receipt: a claim keeps it from other workers for the length of a lease, and a worker
/// that has lost the lease changes nothing any more. No transaction stays open in between.
package protocol ReceiptStore: Sendable {
    /// Claims the receipt that has been due for longest; `nil` when none is due.
    /// - Parameters:
    ///   - lease: How long no other worker gets it.
    ///   - token: Distinguishes this claim from every other one.
    ///   - environments: Environments whose receipts are passed over, however long they have been due.
    func claimReceipt(
        lease: Duration, token: Int64, passingOver environments: Set<KeyEnvironment>
    ) async throws(StoreError) -> ClaimedReceipt?

    /// Ends a claim; `false`, with nothing changed, when the claim was lost.
    func settle(_ claim: ClaimedReceipt, as settlement: ReceiptSettlement, at moment: Timestamp)
        async throws(StoreError) -> Bool

    /// The standing of a device's receipt; `nil` when it has none.
    func receipt(of device: DeviceID) async throws(StoreError) -> ReceiptStanding?
}
