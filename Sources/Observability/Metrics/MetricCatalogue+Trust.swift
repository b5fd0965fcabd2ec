import CaptureModel

extension MetricCatalogue {
    static let receiptExchanges = MetricDefinition(
        "capture_receipt_exchanges_total", .counter, "Exchanges of devices' receipts by outcome.",
        labels: [MetricLabel("outcome", ReceiptOutcome.self)], programs: [.worker])
    static let developerKeyRefused = MetricDefinition(
        "capture_developer_key_refused", .gauge,
        "1 if Apple's last answer to this process refused the developer's key, else 0.",
        labels: [MetricLabel("environment", KeyEnvironment.self)], startsAtZero: true)

    static let enrolments = MetricDefinition(
        "capture_enrolment_steps_total", .counter, "Steps of enrolments by outcome.",
        labels: [
            MetricLabel("step", EnrolmentStep.self),
            MetricLabel("outcome", CaptureMetrics.EnrolmentOutcome.self),
        ], programs: [.gateway])

    static let rolloutRulings = MetricDefinition(
        "capture_rollout_rulings_total", .counter, "Devices and captures judged by their app's rollout.",
        labels: [subject, MetricLabel("mode", judging), MetricLabel("outcome", CaptureMetrics.RolloutOutcome.self)])
    static let rolloutUnmet = MetricDefinition(
        "capture_rollout_unmet_total", .counter,
        "Requirements of rollouts that were not met by devices within the percentage.",
        labels: [subject, MetricLabel("mode", judging), MetricLabel("requirement", RolloutRequirement.self)])
    static let rolloutReloads = MetricDefinition(
        "capture_rollout_reloads_total", .counter, "Changes of the rollout's file by outcome.",
        labels: [MetricLabel("outcome", CaptureMetrics.RolloutReload.self)])
    static let rolloutFileInForce = MetricDefinition(
        "capture_rollout_file_in_force", .gauge,
        """
        Only with `rollout.file`: 1 while the rollout's file is in force, 0 while it is no policy and an earlier one \
        stays in force.
        """)
    static let rolloutSince = MetricDefinition(
        "capture_rollout_in_force_since_seconds", .gauge,
        "Only with `rollout.file`: when the rollout's policy came into force here, in seconds since 1970.")

    private static let subject = MetricLabel("subject", CaptureMetrics.RolloutSubject.self)
    /// The modes in which rollouts judge; the third one, `off`, judges nothing.
    private static let judging = [RolloutMode.monitor, .enforce].map(\.rawValue)

    /// The metrics of Apple's services and of trust.
    static let trust = [
        receiptExchanges, developerKeyRefused, enrolments, rolloutRulings, rolloutUnmet, rolloutReloads,
        rolloutFileInForce, rolloutSince,
    ]
}
