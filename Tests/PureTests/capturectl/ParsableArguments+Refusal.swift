import ArgumentParser

extension ParsableArguments {
    /// Why the parser does not take the arguments; `taken` where it does.
    static func refusal(of arguments: [String]) -> String {
        do {
            _ = try parse(arguments)
            return "taken"
        } catch {
            return message(for: error)
        }
    }
}
