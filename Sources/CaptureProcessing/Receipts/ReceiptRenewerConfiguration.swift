package import AppAttest
package import CaptureModel
package import Waiting

/// Says whose receipts are exchanged, with times and limits.
package struct ReceiptRenewerConfiguration: Sendable {
    /// The attested keys that are taken: receipts of other keys are not exchanged.
    package var keys: TrustedKeys
    /// The developer's team: Apple answers its key about its own apps only, and 401 about another team's.
    package var teamID: String
    /// The roots that a receipt's chain may end in.
    package var roots: [TrustRoot] = [.appleRootG3]
    /// How often a worker looks for a receipt that is due, when it has found none.
    package var pollInterval: Duration = .seconds(10)
    /// How long no other worker can claim a receipt: longer than an answer may take.
    package var lease: Duration = .seconds(60)
    /// How long a renewed receipt is kept at least before it is exchanged; Apple takes it after a day.
    package var interval: Duration = .seconds(86_400)
    /// The waits after a failure.
    package var backoff = Backoff(base: .seconds(60), cap: .seconds(21_600))
    /// How long an environment's servers are not asked after Apple refused the developer key, or while its address is
    /// doubted.
    package var alarmPause: Duration = .seconds(900)
    /// After how many 400s in a row an environment's address is doubted: a verified receipt gets no 400.
    package let refusedMax = 3
    /// After how many 404s in a row it is doubted; more than 400s, as Apple forgets keys whose apps were deleted.
    let unknownMax = 20
    /// How long a receipt is left alone after Apple refused it or did not know it, or while the settings keep it from
    /// being sent.
    package var unknownPause: Duration = .seconds(604_800)

    /// Takes every default.
    package init(keys: TrustedKeys, teamID: String) {
        self.keys = keys
        self.teamID = teamID
    }

    /// Whether an app id is of the developer's team.
    func isOfTeam(_ appID: String) -> Bool { appID.hasPrefix("\(teamID).") }

    /// The reason not to send a device's receipt, whatever the receipt is; `nil` when there is none.
    func objection(to device: Device) -> ReceiptReason? {
        if let reason = keys.objection(to: device) { return ReceiptReason(reason) }
        guard let appID = device.appID, isOfTeam(appID) else { return .teamNotConfigured }
        return nil
    }
}
