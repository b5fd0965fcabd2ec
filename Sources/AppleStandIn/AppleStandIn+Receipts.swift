import CaptureModel
import DeviceSimulator
import Foundation

extension AppleStandIn {
    /// Renews a receipt or refuses it; the checks are in the order in which Apple's server seems to make them.
    func renew(_ body: [UInt8], environment: KeyEnvironment, at now: Timestamp) -> StandInAnswer {
        let refusal = StandInAnswer(400, "Bad Payload")
        guard let data = Data(base64Encoded: Data(body)), let fields = try? ReceiptReader.fields(Array(data)) else {
            return refusal
        }
        func text(_ number: UInt8) -> String { String(decoding: fields[number] ?? [], as: UTF8.self) }
        // Field 7 says "sandbox" for development.
        guard text(7) == (environment == .production ? "production" : "sandbox") else { return refusal }
        guard text(2).hasPrefix("\(developer.teamID).") else {
            return StandInAnswer(401, "Unable to verify authorization token")
        }
        if let notBefore = Timestamp(rfc3339: text(19)), now < notBefore { return StandInAnswer(304) }
        let metric = memory.riskMetric(of: text(5))
        guard let renewed = try? receipts.renew(Array(data), riskMetric: metric, at: now.date) else { return refusal }
        return StandInAnswer(200, Data(renewed).base64EncodedString())
    }
}
