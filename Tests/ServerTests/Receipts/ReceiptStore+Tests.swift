import CaptureStore

extension ReceiptStore {
    /// Claims the receipt that has been due for longest, of whichever environment.
    func claimReceipt(lease: Duration, token: Int64) async throws(StoreError) -> ClaimedReceipt? {
        try await claimReceipt(lease: lease, token: token, passingOver: [])
    }
}
