import CaptureStore

extension FormFields {
    /// How many items the query wants of a page.
    ///
    /// - Throws: `VALIDATION_ERROR` for another number than 1 to ``PageLimit/itemsMax``.
    func pageLimit() throws(APIError) -> Int {
        guard let text = self["limit"] else { return PageLimit.unsaid }
        guard let limit = Int(text), (1...PageLimit.itemsMax).contains(limit) else {
            throw .invalid("limit", "must be 1 to \(PageLimit.itemsMax)")
        }
        return limit
    }
}
