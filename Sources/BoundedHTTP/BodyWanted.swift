/// An outbound event: somebody wants the body of the request that is to be answered next.
///
/// Until it comes only the beginning of a body is read; the rest is read when the answer begins, at the latest.
package struct BodyWanted: Sendable {
    /// The event has nothing to say besides.
    package init() {}
}
