import IntakeJournal

extension IntakeJournal.Limits {
    /// As configured.
    init(_ configuration: GatewayConfiguration) {
        self.init(
            groupMax: configuration.intakeGroupMax, backlogMax: configuration.intakeBacklogMax,
            waitMax: configuration.intakeWait)
    }
}
