package import CaptureModel
import Glibc
import Synchronization

/// The faults that a test run has armed; in operation there are none, and each call costs one comparison.
///
/// Only the environment arms a fault, so that no flag or file can bring one into operation by mistake:
/// - `CAPTURE_FAULT_POINT=after-claim` kills the program (SIGKILL) the first time that it reaches the ``FaultPoint``,
///   `after-claim:3` the third time.
/// - `CAPTURE_FAULT_POISON=<capture id>=loop` gives one capture, or several separated by commas, a ``Poison``.
package struct ArmedFaults: Sendable {
    /// The environment names an unknown fault.
    package struct Unknown: Error, CustomStringConvertible {
        /// Names the variable, and what it takes.
        package let description: String
    }

    /// The variables that arm faults.
    package enum Variable {
        /// Names a ``FaultPoint`` and, after a colon, at which pass it kills.
        package static let point = "CAPTURE_FAULT_POINT"
        /// Names captures and their ``Poison``.
        package static let poison = "CAPTURE_FAULT_POISON"
    }

    /// The value in operation: no faults.
    package static let none = ArmedFaults(armed: nil)

    private final class Armed: Sendable {
        let point: FaultPoint?
        let poisons: [CaptureID: Poison]
        /// How many passes are left before the point kills.
        let passes: Atomic<Int>

        init(point: FaultPoint?, passes: Int, poisons: [CaptureID: Poison]) {
            self.point = point
            self.passes = Atomic(passes)
            self.poisons = poisons
        }
    }

    private let armed: Armed?

    private init(armed: Armed?) {
        self.armed = armed
    }

    /// Reads the faults that a test run has armed.
    /// - Throws: ``Unknown`` for an unknown point or poison: a test that tests nothing must not pass.
    package init(environment: [String: String]) throws(Unknown) {
        let point = try environment[Variable.point].map(Self.readPoint)
        let poisons = try environment[Variable.poison].map(Self.readPoisons) ?? [:]
        let isArmed = point != nil || !poisons.isEmpty
        armed = isArmed ? Armed(point: point?.point, passes: point?.passes ?? 0, poisons: poisons) : nil
    }

    /// The armed faults, for the warning at the start; `nil` when there are none.
    package var summary: String? {
        guard let armed else { return nil }
        let parts =
            [armed.point.map { "killed at \($0.rawValue)" }].compactMap(\.self)
            + armed.poisons.map { "\($0) is poisoned: \($1.rawValue)" }.sorted()
        return parts.joined(separator: ", ")
    }

    /// Reports that a point is reached: an armed point ends the program here at the given pass.
    package func reach(_ point: FaultPoint) {
        guard let armed, armed.point == point else { return }
        guard armed.passes.subtract(1, ordering: .relaxed).oldValue == 0 else { return }
        kill(getpid(), SIGKILL)
        // The signal may reach another thread first, so this thread goes no further.
        while true { pause() }
    }

    /// Reports that a capture is being verified: a poisoned one takes the program down in its way.
    package func beginVerifying(_ capture: CaptureID) {
        guard let armed, let poison = armed.poisons[capture] else { return }
        poison.act()
    }

    private static func readPoint(_ text: String) throws(Unknown) -> (point: FaultPoint, passes: Int) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let times = parts.count == 2 ? Int(parts[1]) : 1
        guard let point = FaultPoint(rawValue: parts[0]), parts.count <= 2, let times, times >= 1 else {
            let points = FaultPoint.allCases.map(\.rawValue).joined(separator: ", ")
            throw Unknown(
                description: "\(Variable.point): '\(text)' is no point; it takes one of \(points), or one with :n")
        }
        return (point, times - 1)
    }

    private static func readPoisons(_ text: String) throws(Unknown) -> [CaptureID: Poison] {
        var poisons: [CaptureID: Poison] = [:]
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard sides.count == 2, let capture = CaptureID(sides[0]), let poison = Poison(rawValue: sides[1]) else {
                let words = Poison.allCases.map(\.rawValue).joined(separator: ", ")
                throw Unknown(
                    description: "\(Variable.poison): '\(part)' is no poison; it takes <capture id>=<one of \(words)>")
            }
            poisons[capture] = poison
        }
        return poisons
    }
}
