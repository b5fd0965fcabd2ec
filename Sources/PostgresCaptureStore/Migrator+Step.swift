extension Migrator {
    /// One step.
    package struct Step: Sendable, Equatable, CustomStringConvertible {
        /// Which way.
        package enum Direction: String, Sendable {
            /// Applied.
            case up
            /// Taken back.
            case down
        }

        /// The moment of a step that is reported.
        package enum Moment: Sendable {
            /// The step begins, and may take hours.
            case begins
            /// The step is committed.
            case ended
        }

        /// Which way.
        package let direction: Direction
        /// The migration's number.
        package let version: Int
        /// The migration's name.
        package let name: String

        /// The step as text, for example `up 1 audit`.
        package var description: String { "\(direction.rawValue) \(version) \(name)" }
    }

    /// Called before and after each step, also for the steps before one that fails.
    package typealias StepObserver = @Sendable (Step, Step.Moment) -> Void
}
