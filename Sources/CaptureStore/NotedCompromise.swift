/// A compromise that is noted for good.
package struct NotedCompromise: Sendable, Equatable {
    /// The number of affected verified results, up to ``DeviceTally/countMax``; `nil` if that could not be read.
    package let affected: Int?

    /// Notes the number.
    package init(affected: Int?) {
        self.affected = affected
    }
}
