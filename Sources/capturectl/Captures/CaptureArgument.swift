import ArgumentParser
import CaptureModel

/// The id of a capture on the command line.
struct CaptureArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The capture's id.", valueName: "capture"), transform: CommandValue.captureID)
    var id: CaptureID
}
