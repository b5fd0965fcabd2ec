import ArgumentParser

/// How many rows of a list are wanted.
struct LimitOption: ParsableArguments {
    @Option(name: .customLong("limit"), parsing: .unconditional, help: "The most that are listed, 1 to 500.")
    var count = 50

    func validate() throws {
        guard (1...500).contains(count) else { throw ValidationError("--limit takes 1 to 500") }
    }
}
