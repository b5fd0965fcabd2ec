package import CaptureModel

/// Whether a process can do its work, as `/readyz` tells it.
package struct Readiness: Encodable, Sendable {
    /// What it comes to.
    package enum Status: String, CaseIterable, Encodable, Sendable {
        /// Work may be sent here.
        case ready
        /// Not all checks of the start are passed.
        case starting
        /// A server is away.
        case unavailable
    }

    /// Whether a server answers.
    package enum Answering: String, CaseIterable, Encodable, Sendable {
        /// It does.
        case up
        /// It does not.
        case down
    }

    /// What it comes to.
    package let status: Status
    /// What is known of each server, and `down` for a bundle directory that the start waits for.
    package let dependencies: [String: Answering]

    /// Draws the conclusion from what the servers answered.
    /// - Parameter areBundlesAway: Whether the bundle directory is away; only a start waits for it.
    package init(
        _ answers: [BackingServer: Bool], hasStarted: Bool = true, areBundlesAway: Bool = false
    ) {
        let isUp = answers.values.allSatisfy(\.self)
        var states = answers
        if !hasStarted, areBundlesAway { states[.bundles] = false }
        status = !isUp ? .unavailable : hasStarted ? .ready : .starting
        dependencies = Dictionary(uniqueKeysWithValues: states.map { ($0.key.rawValue, $0.value ? .up : .down) })
    }

    /// Whether work may be sent here.
    package var isReady: Bool { status == .ready }
}
