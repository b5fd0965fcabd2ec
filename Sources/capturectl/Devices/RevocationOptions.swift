import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureSettings
import CaptureStore
import PostgresCaptureStore

/// What every command takes that ends a device.
struct RevocationOptions: ParsableArguments {
    @Option(help: "Why; kept with the device and in the audit.")
    var reason: String

    @Flag(help: "Say what it concerns, and do nothing.")
    var dryRun = false

    @Flag(help: "Do not ask.")
    var yes = false

    func validate() throws {
        guard words != nil else { throw ValidationError("--reason takes \(RevocationReason.rule)") }
    }

    /// The reason, which has been looked at before.
    var words: RevocationReason? { RevocationReason(reason) }

    /// A time of an option that lies in the past.
    static func past(_ text: String, _ option: String) throws -> Timestamp {
        guard let moment = Timestamp(rfc3339: text) else {
            throw ValidationError("\(option) takes a time such as 2026-04-21T18:13:12Z, not '\(text)'")
        }
        guard moment <= Timestamp.systemTime() else { throw ValidationError("\(option) lies in the future") }
        return moment
    }
}

extension OperatorSession {
    /// What is done to devices, which the record notes in the audit as it does it.
    var deviceDesk: DeviceDesk { DeviceDesk(store: store, registry: store) }

    /// How many captures of a tally have no result: a ledger counts them, and nobody else.
    func openCount(of tally: DeviceTally) -> Int? { settings.durability == .ledger ? tally.open : nil }
}

extension Wording {
    /// What becomes of captures without a result when their device ends.
    /// - Parameter open: How many there are; `nil`: nobody knows.
    static func rejected(open: Int?, orMore: Bool) -> String {
        let captures = open.map { "\(count($0, "capture", orMore: orMore)) without a result" }
        return (captures ?? "captures without a result (how many is not known without a ledger)")
            + " will be rejected as DEVICE_REVOKED, dead letters only once they are redriven"
    }
}
