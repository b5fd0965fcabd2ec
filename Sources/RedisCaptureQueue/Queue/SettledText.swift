import CaptureModel
import CaptureQueue
import RedisClient

/// The status that the queue keeps of a settled capture for a while: eight words, `-` for a missing one.
struct SettledText {
    /// The names of the words, in the order of `settled_text` in `jobs.lua`.
    private static let names = [
        "device", "state", "reason", "attempts", "received_at", "claimed_at", "settled_at", "redriven",
    ]

    private let fields: JobFields

    /// Reads the words; `nil` when there are too many or too few.
    init?(_ text: String) {
        let words = text.parts(at: " ")
        guard words.count == Self.names.count else { return nil }
        fields = JobFields(names: Self.names, values: words.map { $0 == "-" ? .null : .simple(String($0)) }[...])
    }

    /// The status in the words.
    func status(of capture: CaptureID) -> JobStatus? { fields.status(capture) }
}
