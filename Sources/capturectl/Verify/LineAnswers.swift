import ArgumentParser
import CaptureModel
import FoundationEssentials
import Glibc
import StrictJSON

/// Answers one JSON object per line of standard input with one per line of standard output, in the same order.
struct LineAnswers {
    /// Bytes of one line at most: many times the largest attestation.
    static let lineBytesMax = 1024 * 1024
    /// The longest text beyond ASCII, in bytes: comparing it may take the square of its length.
    private static let textBytesMax = 1024

    /// The command line's fields, which lines may override.
    let defaults: VerificationFields
    /// The members that the command's lines may have.
    let members: LineMembers
    private let decoder = JSONDecoder()

    /// Answers all lines to the end of the input, whatever they hold; blank lines are skipped.
    ///
    /// - Throws: ``CommandEnd/unread`` if the input could not be read to its end, so not every line was answered.
    func run(_ answer: AnswerRun.Answer) throws {
        var reader = LineReader(descriptor: STDIN_FILENO, bytesMax: Self.lineBytesMax)
        while let lines = try Self.next(of: &reader) {
            var output = ""
            for line in lines {
                guard let result = self.answer(to: line, answer) else { continue }
                // There is always a member after the id: each answer has a verdict.
                let text = try JSONText.write(result.answer)
                output += "{\"id\":\(result.id),\(text.dropFirst())\n"
            }
            try printAnswer(output, terminator: "")
        }
    }

    private static func next(of reader: inout LineReader) throws(ExitCode) -> [LineReader.Line]? {
        do throws(InputFault) { return try reader.next() } catch { throw CommandEnd.reported(error) }
    }

    /// The answer, and the id as the JSON that came: a `Double` cannot hold every number.
    private func answer(
        to line: LineReader.Line, _ answer: AnswerRun.Answer
    ) -> (id: String, answer: VerificationAnswer)? {
        var id = "null"
        do throws(VerificationFault) {
            guard case .complete(let bytes) = line else {
                throw VerificationFault(code: .lineTooLong, detail: "a line has at most \(Self.lineBytesMax) bytes")
            }
            guard bytes.contains(where: { !Self.blank.contains($0) }) else { return nil }
            var rest = bytes
            if let place = try Self.idPlace(in: bytes) {
                id = Self.shown(String(decoding: bytes[place], as: UTF8.self))
                rest.replaceSubrange(place, with: "null".utf8)
            }
            return (id, try answer(try defaults.overridden(by: try object(rest), of: members)))
        } catch {
            return (id, VerificationAnswer(error))
        }
    }

    /// The JSON in one line for every reader: outside of strings a carriage return is white space.
    private static func shown(_ json: String) -> String {
        let line = json.utf8.map { $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        return ShownText.json(String(decoding: line, as: UTF8.self))
    }

    private static func idPlace(in bytes: [UInt8]) throws(VerificationFault) -> Range<Int>? {
        do throws(JSONFault) {
            return try JSONWalk.members(of: bytes, textBytesMax: textBytesMax).first { $0.name == "id" }?.value
        } catch {
            throw VerificationFault(code: .lineMalformed, detail: "the line: \(error)")
        }
    }

    private func object(_ bytes: [UInt8]) throws(VerificationFault) -> [String: JSONValue] {
        let value: JSONValue
        do {
            value = try decoder.decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw VerificationFault(code: .lineMalformed, detail: "the line has a value out of range")
        }
        guard case .object(let object) = value else {
            throw VerificationFault(code: .lineMalformed, detail: "the line is not a JSON object")
        }
        return object
    }

    private static let blank: Set<UInt8> = [0x20, 0x09, 0x0D]
}
