import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureSettings
import CaptureStore
import PostgresCaptureStore

/// The options of every command that revokes a device.
struct RevocationOptions: ParsableArguments {
    @Option(
        help: "Why, on one line of up to \(RevocationReason.bytesMax) bytes; kept with the device and in the audit.")
    var reason: String

    @Flag(help: "Say what it concerns, and do nothing.")
    var dryRun = false

    @Flag(help: "Do not ask.")
    var yes = false

    func validate() throws { _ = try words() }

    /// The reason; an invalid one is refused without being shown, as it may move a terminal's cursor.
    func words() throws -> RevocationReason {
        guard let words = RevocationReason(reason) else {
            throw ValidationError("--reason takes \(RevocationReason.rule)")
        }
        return words
    }
}

extension OperatorSession {
    /// Revokes devices; the record notes that in the audit along with the change.
    var deviceActions: DeviceActions { DeviceActions(store: store, registry: store) }

    /// How many captures of a tally have no result; `nil` without a ledger, as only that counts them.
    func openCount(of tally: DeviceTally) -> Int? { settings.durability == .ledger ? tally.open : nil }
}

extension TerminalText {
    /// The note on captures without a result when their device is revoked.
    /// - Parameter open: How many there are; `nil` if unknown.
    static func rejected(open: Int?, orMore: Bool) -> String {
        let captures = open.map { "\(count($0, "capture", orMore: orMore)) without a result" }
        return (captures ?? "captures without a result (how many is not known without a ledger)")
            + " will be rejected as DEVICE_REVOKED, dead letters only once they are redriven"
    }
}
