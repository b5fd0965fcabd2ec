import CaptureModel
import Foundation

extension AppleStandIn {
    private static let tokenPrefix = "stand-in device "

    /// A token as `DCDevice.generateToken` makes it on a device of this name; each nonce gives another one.
    package static func deviceToken(of device: String, nonce: UInt64) -> String {
        Data("\(tokenPrefix)\(nonce) \(device)".utf8).base64EncodedString()
    }

    private struct Question: Decodable {
        var deviceToken: String?
        var transactionID: String?
        var timestamp: Int64?
        var bit0: Bool?
        var bit1: Bool?

        enum CodingKeys: String, CodingKey {
            case timestamp, bit0, bit1
            case deviceToken = "device_token"
            case transactionID = "transaction_id"
        }
    }

    /// Answers a question about a device's two bits, with Apple's texts.
    func check(_ body: [UInt8], _ service: StandInMemory.Service, at now: Timestamp) -> StandInAnswer {
        func malformed(_ what: String) -> StandInAnswer {
            StandInAnswer(400, "Missing or incorrectly formatted \(what)")
        }
        guard let question = try? JSONDecoder().decode(Question.self, from: Data(body)) else {
            return StandInAnswer(400, "Bad Request")
        }
        guard let device = Self.device(of: question.deviceToken) else { return malformed("device token payload") }
        guard let name = question.transactionID, !name.isEmpty else { return malformed("transaction id") }
        guard let sentAt = question.timestamp.map(Timestamp.init(millisecondsSince1970:)),
            max(now.since(sentAt), sentAt.since(now)) < .seconds(3600)
        else { return malformed("time stamp") }
        switch service {
        case .receipt, .validate: return StandInAnswer(200)
        case .query: return memory.withBits(of: device) { Self.described($0) }
        case .update:
            guard question.bit0 != nil || question.bit1 != nil else { return malformed("bits") }
            let month = String(now.rfc3339.prefix(7))
            memory.withBits(of: device) { bits in
                let before = bits
                bits = .init(
                    bit0: question.bit0 ?? before?.bit0 ?? false, bit1: question.bit1 ?? before?.bit1 ?? false,
                    month: month)
            }
            return StandInAnswer(200)
        }
    }

    private static func described(_ bits: StandInMemory.Bits?) -> StandInAnswer {
        // Not JSON, although the status is 200.
        guard let bits else { return StandInAnswer(200, "Failed to find bit state") }
        return StandInAnswer(
            200, #"{"bit0":\#(bits.bit0),"bit1":\#(bits.bit1),"last_update_time":"\#(bits.month)"}"#)
    }

    private static func device(of token: String?) -> String? {
        guard let data = token.flatMap({ Data(base64Encoded: $0) }) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard text.hasPrefix(tokenPrefix) else { return nil }
        let parts = text.dropFirst(tokenPrefix.count).split(separator: " ", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : nil
    }
}
