/// That a process runs, as `/healthz` tells it.
package struct Liveness: Encodable, Sendable {
    /// What it says of every process that answers.
    package static let status = "ok"

    private let status = Self.status

    /// The only one there is.
    package init() {}
}
