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

    func validate() throws { _ = try words() }

    /// The reason; what is none is refused without being shown, as it may move a terminal's cursor.
    func words() throws -> RevocationReason {
        guard let words = RevocationReason(reason) else {
            throw ValidationError("--reason takes \(RevocationReason.rule)")
        }
        return words
    }
}

extension OperatorSession {
    /// What is done to devices, which the record notes in the audit as it does it.
    var deviceDesk: DeviceDesk { DeviceDesk(store: store, registry: store) }

    /// How many captures of a tally have no result: a ledger counts them, and nobody else.
    func openCount(of tally: DeviceTally) -> Int? { settings.durability == .ledger ? tally.open : nil }
}

extension TerminalText {
    /// What becomes of captures without a result when their device ends.
    /// - Parameter open: How many there are; `nil`: nobody knows.
    static func rejected(open: Int?, orMore: Bool) -> String {
        let captures = open.map { "\(count($0, "capture", orMore: orMore)) without a result" }
        return (captures ?? "captures without a result (how many is not known without a ledger)")
            + " will be rejected as DEVICE_REVOKED, dead letters only once they are redriven"
    }
}
