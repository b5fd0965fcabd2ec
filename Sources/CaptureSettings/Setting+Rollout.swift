extension Setting {
    // MARK: Rollouts

    package static let rolloutFile = Setting(
        "rollout.file", .text, nil,
        "What is asked of systems and apps, and of how many devices (YAML); read again without a restart."
    )
    package static let rolloutInterval = Setting(
        "rollout.interval", .duration(.milliseconds(50) ... .seconds(3600)), "2s",
        "How often that file is looked at; a change is in force after the second look that finds it."
    )

    /// The settings of rollouts.
    static let rollout = [rolloutFile, rolloutInterval]
}
