import CaptureModel
import CaptureQueue

/// A dead letter that a form of the dashboard names.
struct ChosenLetter {
    /// Which capture.
    let capture: CaptureID
    /// When it was given up, where it was shown with what will be discarded.
    private let diedAt: Timestamp?

    /// Reads a capture's id, or the place of a dead letter.
    init?(_ text: String) {
        if let position = DeadLetter.Position(text) {
            (capture, diedAt) = (position.capture, position.diedAt)
        } else if let id = CaptureID(text) {
            (capture, diedAt) = (id, nil)
        } else {
            return nil
        }
    }

    /// Whether it is this one: what was given up anew meanwhile is another.
    func means(_ letter: DeadLetter) -> Bool {
        letter.id == capture && (diedAt ?? letter.diedAt).millisecondsSince1970 == letter.diedAt.millisecondsSince1970
    }
}
