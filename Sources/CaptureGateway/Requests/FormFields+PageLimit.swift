/// How many items a page of a list has.
enum PageLimit {
    /// At the most.
    static let most = 500
    /// Where the query does not say.
    static let unsaid = 50
}

extension FormFields {
    /// How many items the query wants of a page.
    ///
    /// - Throws: `VALIDATION_ERROR` for another number than 1 to ``PageLimit/most``.
    func pageLimit() throws(APIError) -> Int {
        guard let text = self["limit"] else { return PageLimit.unsaid }
        guard let limit = Int(text), (1...PageLimit.most).contains(limit) else {
            throw .invalid("limit", "must be 1 to \(PageLimit.most)")
        }
        return limit
    }
}
