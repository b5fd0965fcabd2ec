import IntakeJournal

extension IntakeJournal.Limits {
    /// As configured.
    init(_ intake: GatewayConfiguration.Intake) {
        self.init(groupMax: intake.groupMax, backlogMax: intake.backlogMax, waitMax: intake.wait)
    }
}
