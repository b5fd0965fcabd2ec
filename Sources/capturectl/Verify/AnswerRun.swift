import ArgumentParser

/// Asks one question or many, and prints the answers.
enum AnswerRun {
    /// Answers a command's question for one set of fields.
    typealias Answer = (VerificationFields) throws(VerificationFault) -> VerificationAnswer

    /// Answers the command line, or each line of standard input, for which the command line's fields are defaults.
    ///
    /// With a single question it throws exit code 1 for a rejection, and bad usage if the question makes no sense.
    /// - Parameter members: The members that the command's lines may have.
    static func give(
        _ fields: VerificationFields, jsonLines: Bool, members: LineMembers, _ answer: Answer
    ) throws {
        try asUsage { () throws(VerificationFault) in try fields.check() }
        guard !jsonLines else { return try LineAnswers(defaults: fields, members: members).run(answer) }
        let result = try asUsage { () throws(VerificationFault) in try answer(fields) }
        try printAnswer(JSONText.write(result))
        guard result.verdict == .accepted else { throw ExitCode(1) }
    }
    /// Turns a fault of the command line itself into bad usage.
    private static func asUsage<Value>(_ body: () throws(VerificationFault) -> Value) throws(ValidationError) -> Value {
        do throws(VerificationFault) { return try body() } catch { throw ValidationError(error.usage) }
    }
}
