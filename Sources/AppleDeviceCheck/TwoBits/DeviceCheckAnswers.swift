import CaptureModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TwoBits {
    private struct Answer: Decodable {
        var bit0: Bool
        var bit1: Bool
        var lastUpdateTime: String

        enum CodingKeys: String, CodingKey {
            case bit0, bit1
            case lastUpdateTime = "last_update_time"
        }
    }

    /// Texts that come with the status 200 in place of JSON: today's and an older one.
    private static let neverSetTexts = ["failed to find bit state", "bit state not found"]

    /// Reads the body of a 200; `nil` when it has none of the known forms.
    init?(answer body: [UInt8]) {
        if let answer = try? JSONDecoder().decode(Answer.self, from: Data(body)) {
            guard Self.isMonth(answer.lastUpdateTime) else { return nil }
            self = .set(bit0: answer.bit0, bit1: answer.bit1, lastUpdate: answer.lastUpdateTime)
            return
        }
        let text = String(decoding: body.prefix(200), as: UTF8.self).lowercased()
        guard Self.neverSetTexts.contains(where: text.contains) else { return nil }
        self = .neverSet
    }

    /// Accepts only `YYYY-MM`, as the record does.
    ///
    /// `Int` also reads a sign, and a digit of a text may have a combining mark.
    private static func isMonth(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2], parts.allSatisfy({ $0.allSatisfy(\.isDecimalDigit) }) else { return false }
        return (1...12).contains(Int(text.suffix(2)) ?? 0)
    }
}

extension DeviceCheckFault {
    /// The fault that an answer reports; `nil` for a complete 200.
    init?(_ answer: AppleServer.Answer) {
        switch answer.status {
        case 200:
            guard answer.isCut else { return nil }
            self = .unexpected(status: 200)
        case 400: self = Self.refusal(String(decoding: answer.body.prefix(200), as: UTF8.self))
        case 401: self = .unauthorized
        case 429, 500...599: self = .overloaded(status: answer.status)
        default: self = .unexpected(status: answer.status)
        }
    }

    /// Only one of the texts that come with 400 is about the device: the others are about the rest of our request.
    private static func refusal(_ text: String) -> DeviceCheckFault {
        text.lowercased().contains("device token") ? .token : .request(text.filter { $0.isASCII && !$0.isNewline })
    }
}
