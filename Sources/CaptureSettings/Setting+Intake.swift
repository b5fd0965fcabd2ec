extension Setting {
    // MARK: Intake ledger

    package static let intakeWait = Setting(
        "intake.wait", .duration(.milliseconds(100) ... .seconds(60)), "5s",
        "How long an upload waits for its row in the ledger, and a registration whose answer was lost for another one; then 503."
    )
    package static let intakeGroupMax = Setting(
        "intake.groupMax", .integer(1...1024), "256", "Uploads that share one transaction of the ledger."
    )
    package static let intakeBacklogMax = Setting(
        "intake.backlogMax", .integer(1...100_000), "1024",
        "Uploads that wait for the ledger, or for replicas at queue.durability replicated; then 503."
    )
    package static let intakeGrace = Setting(
        "intake.grace", .duration(.seconds(1) ... .seconds(3600)), "30s",
        "After what time an accepted capture with neither result nor queue entry is enqueued."
    )
    package static let intakeInterval = Setting(
        "intake.interval", .duration(.milliseconds(10) ... .seconds(60)), "1s",
        "How often a gateway looks whether Redis has lost data."
    )
    package static let intakeSweepInterval = Setting(
        "intake.sweepInterval", .duration(.seconds(1) ... .seconds(600)), "5m",
        "How often a gateway compares all open rows of the ledger with the queue, and not only new ones."
    )
    package static let intakeRestoreWait = Setting(
        "intake.restoreWait", .duration(.milliseconds(10) ... .seconds(60)), "2s",
        "How long an upload waits while lost captures are put back; then 503."
    )

    /// The settings of the intake ledger.
    static let intake = [
        intakeWait, intakeGroupMax, intakeBacklogMax, intakeGrace, intakeInterval, intakeSweepInterval,
        intakeRestoreWait,
    ]
}
