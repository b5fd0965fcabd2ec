import ArgumentParser
import CaptureModel

/// The id of a capture on the command line.
struct CaptureArgument: ParsableArguments {
    @Argument(help: "The capture's id.")
    var capture: String

    func validate() throws {
        guard id != nil else { throw ValidationError("'\(capture)' is not a capture's id") }
    }

    /// The id, which has been looked at before.
    var id: CaptureID? { CaptureID(capture) }
}
