import ArgumentParser

/// Prints the answer to the one question that the command line asks.
enum OneAnswer {
    /// Exits 0, or throws exit code 1 for a rejection and bad usage for a question that makes no sense.
    static func give(_ answer: () throws(VerificationFault) -> VerificationAnswer) throws {
        let result: VerificationAnswer
        do throws(VerificationFault) {
            result = try answer()
        } catch {
            throw ValidationError("\(error.detail) (\(error.code.rawValue))")
        }
        print(try JSONText.write(result))
        guard result.verdict == .accepted else { throw ExitCode(1) }
    }
}
