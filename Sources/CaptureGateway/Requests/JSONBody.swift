import FoundationEssentials
import HTTPTypes
import StrictJSON

/// Reads JSON so that the field at fault is named.
enum JSONBody {
    /// Decodes a body that was read; `Content-Type`, where there is one, must be JSON's.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], headers: HTTPFields
    ) throws(APIError) -> Value {
        if let type = headers[.contentType], !MediaType.json.isNamed(by: type) {
            throw APIError(.unsupportedMediaType, "this route takes application/json", field: "Content-Type")
        }
        let given = try names(in: bytes)
        if let closed = type as? any ClosedBody.Type { try closed.requireOnly(given) }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw failure(error)
        } catch {
            throw APIError(.validationError, "the body is not JSON")
        }
    }

    /// More bytes than any text beyond ASCII that a route takes.
    private static let textBytesMax = 1024

    /// The names of an object's members.
    ///
    /// Refuses what is not strict JSON before the decoder sees it: comparing long names takes it the square of their
    /// length, whoever sends them, and of equal members it would take the first.
    private static func names(in bytes: [UInt8]) throws(APIError) -> [String] {
        do throws(JSONFault) {
            return try JSONWalk.members(of: bytes, textBytesMax: textBytesMax).map(\.name)
        } catch {
            switch error {
            case .notUTF8, .malformed: throw APIError(.validationError, "the body is not JSON")
            case .halfPair, .numberTooLarge, .tooDeep, .nameTooLong, .textTooLong, .memberTwice:
                throw APIError(.validationError, "the body is not taken: \(error)")
            }
        }
    }

    private static func failure(_ error: DecodingError) -> APIError {
        switch error {
        case .keyNotFound(let key, let context): .invalid(path(context.codingPath + [key]), "is missing")
        case .valueNotFound(_, let context) where !context.codingPath.isEmpty:
            .invalid(path(context.codingPath), "is missing")
        case .typeMismatch(_, let context) where !context.codingPath.isEmpty:
            .invalid(path(context.codingPath), "has another type than it should")
        case .typeMismatch, .valueNotFound: APIError(.validationError, "the body is not a JSON object")
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            .invalid(path(context.codingPath), "has a value that is not taken")
        default: APIError(.validationError, "the body is not JSON")
        }
    }

    /// `attestation.key_id`: only names that the program knows, and indexes.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { String($0) } ?? $0.stringValue }.joined(separator: ".")
    }
}
