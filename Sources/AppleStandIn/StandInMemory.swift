import Synchronization

/// The answers that a stand-in is to give next, and its devices' risk metrics and bits.
package final class StandInMemory: Sendable {
    /// Which of Apple's services was asked.
    package enum Service: String, Sendable, CaseIterable {
        /// The exchange of receipts.
        case receipt
        /// DeviceCheck's question for the two bits.
        case query
        /// DeviceCheck's change of the two bits.
        case update
        /// DeviceCheck's question whether a token belongs to a device.
        case validate

        /// The part of its path after the version.
        var path: String {
            switch self {
            case .receipt: "attestationData"
            case .query: "query_two_bits"
            case .update: "update_two_bits"
            case .validate: "validate_device_token"
            }
        }
    }

    /// The two bits of a device, and the month in which they were set.
    struct Bits {
        var bit0 = false
        var bit1 = false
        var month: String
    }

    private struct State {
        var script: [StandInAnswer] = []
        var metrics: [String: Int] = [:]
        var bits: [String: Bits] = [:]
    }

    private let state = Mutex(State())

    /// Gives these answers to the next requests, one each, whatever they ask.
    package func script(_ answers: [StandInAnswer]) {
        state.withLock { $0.script += answers }
    }

    /// Sets the risk metric of receipts with this token (field 5); 1 unless set.
    package func setRiskMetric(_ metric: Int, of token: String) {
        state.withLock { $0.metrics[token] = metric }
    }

    /// Takes the next of the answers that were given beforehand.
    func takeAnswer() -> StandInAnswer? {
        state.withLock { $0.script.isEmpty ? nil : $0.script.removeFirst() }
    }

    func riskMetric(of token: String) -> Int { state.withLock { $0.metrics[token] ?? 1 } }

    /// Reads and changes the bits of a device.
    func withBits<Value: Sendable>(of device: String, _ body: (inout Bits?) -> Value) -> Value {
        state.withLock { body(&$0.bits[device]) }
    }
}
