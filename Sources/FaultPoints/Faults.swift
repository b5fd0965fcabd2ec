package import CaptureModel
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The faults that a test run has armed; in operation there are none, and each call costs one look at that.
///
/// Only the environment arms a fault, so that no flag or file can bring one into operation by mistake:
/// - `CAPTURE_FAULT_POINT=after-claim` kills the program (SIGKILL) the first time that it reaches the ``FaultPoint``,
///   `after-claim:3` the third time.
/// - `CAPTURE_FAULT_POISON=<capture id>=loop` gives one capture, or several separated by commas, a ``Poison``.
package struct Faults: Sendable {
    /// The environment asks for a fault that there is not.
    package struct Unknown: Error, CustomStringConvertible {
        /// Names the variable, and what it takes.
        package let description: String
    }

    /// The variables that arm faults.
    package enum Variable {
        /// Names a ``FaultPoint`` and, behind a colon, how often it is passed before it counts.
        package static let point = "CAPTURE_FAULT_POINT"
        /// Names captures and their ``Poison``.
        package static let poison = "CAPTURE_FAULT_POISON"
    }

    /// What operation runs with.
    package static let none = Faults(armed: nil)

    private final class Armed: Sendable {
        let point: FaultPoint?
        let poisons: [CaptureID: Poison]
        /// How often the point will be passed before it kills.
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

    /// Reads what a test run has armed.
    /// - Throws: ``Unknown`` for a point or a poison that there is not: a test that tests nothing must not pass.
    package init(environment: [String: String]) throws(Unknown) {
        let point = try environment[Variable.point].map(Self.readPoint)
        let poisons = try environment[Variable.poison].map(Self.readPoisons) ?? [:]
        let isArmed = point != nil || !poisons.isEmpty
        armed = isArmed ? Armed(point: point?.point, passes: point?.passes ?? 0, poisons: poisons) : nil
    }

    /// What is armed, for the warning at the start; `nil` when nothing is.
    package var summary: String? {
        guard let armed else { return nil }
        let parts =
            [armed.point.map { "killed at \($0.rawValue)" }].compactMap(\.self)
            + armed.poisons.map { "\($0) is poisoned: \($1.rawValue)" }.sorted()
        return parts.joined(separator: ", ")
    }

    /// Whether a point is armed, for the steps that take another way to make it exact.
    package func isArmed(at point: FaultPoint) -> Bool { armed?.point == point }

    /// Says that a point is reached: the program ends here if it is armed and was passed often enough.
    package func reach(_ point: FaultPoint) {
        guard let armed, armed.point == point else { return }
        guard armed.passes.subtract(1, ordering: .relaxed).oldValue == 0 else { return }
        kill(getpid(), SIGKILL)
        // The signal may reach another thread first: nothing more is done here either way.
        while true { pause() }
    }

    /// Says that a capture is being verified: a poisoned one takes the program down in its way.
    package func taste(_ capture: CaptureID) {
        guard let armed, let poison = armed.poisons[capture] else { return }
        poison.act()
    }

    private static func readPoint(_ text: String) throws(Unknown) -> (point: FaultPoint, passes: Int) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let times = parts.count == 2 ? Int(parts[1]) : 1
        guard let point = FaultPoint(rawValue: parts[0]), parts.count <= 2, let times, times >= 1 else {
            let points = FaultPoint.allCases.map(\.rawValue).joined(separator: ", ")
            throw Unknown(
                description: "\(Variable.point): '\(text)' is none; it takes one of \(points), or one with :n")
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
                    description: "\(Variable.poison): '\(part)' is none; it takes <capture id>=<one of \(words)>")
            }
            poisons[capture] = poison
        }
        return poisons
    }
}
