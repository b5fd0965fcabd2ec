import ArgumentParser
import CaptureStore

/// How many rows of a list are wanted.
struct LimitOption: ParsableArguments {
    @Option(
        name: .customLong("limit"), parsing: .unconditional,
        help: "The most that are listed, 1 to \(PageLimit.itemsMax).")
    var count = PageLimit.unsaid

    func validate() throws {
        guard (1...PageLimit.itemsMax).contains(count) else {
            throw ValidationError("--limit takes 1 to \(PageLimit.itemsMax)")
        }
    }
}
