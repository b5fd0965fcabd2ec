import CaptureModel
import CaptureStore
import PostgresClient

extension DeviceTally {
    /// Adds up rows that each say how many captures are of a kind: `open`, a confidence, or the reason of a rejection.
    init(_ rows: some Sequence<PostgresRow>) throws(PostgresError) {
        self = .empty
        for row in rows {
            let (kind, captures) = try (row.text("kind"), Int(row.int8("captures")))
            if kind == "open" {
                open = captures
            } else if kind == Confidence.none.rawValue {
                rejected = captures
            } else if Confidence(rawValue: kind) != nil {
                // Each of the three confidences of verified captures is counted up to the limit by itself.
                verified = min(verified + captures, Self.countMax)
            } else {
                reasons[Reason(recorded: kind), default: 0] += captures
            }
        }
    }
}
