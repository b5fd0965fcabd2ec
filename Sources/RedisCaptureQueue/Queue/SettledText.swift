import CaptureModel
import CaptureQueue
import RedisClient

/// What stays of a settled capture for a while: eleven words, `-` for what there is not.
struct SettledText {
    /// As `settled_text` in `prelude.lua` writes them; the order is the function's.
    private static let names = [
        "device", "state", "reason", "attempts", "received_at", "claimed_at", "settled_at", "queue_us", "verify_us",
        "settle_us", "redriven",
    ]

    private let fields: JobFields

    /// Reads the words; `nil` when there are too many or too few.
    init?(_ text: String) {
        let words = text.parts(at: " ")
        guard words.count == Self.names.count else { return nil }
        fields = JobFields(names: Self.names, values: words.map { $0 == "-" ? .null : .simple(String($0)) }[...])
    }

    /// The status that the words tell.
    func status(of capture: CaptureID) -> JobStatus? { fields.status(capture) }
}
