extension Setting {
    // MARK: Enrolment

    package static let enrolmentKeyFile = Setting(
        "enrolment.keyFile", .text, nil,
        "File of the key that seals enrolments' secrets: 32 bytes as base64; nobody enrols without it."
    )
    package static let enrolmentSessionLifetime = Setting(
        "enrolment.sessionLifetime", .duration(.seconds(60) ... .seconds(86_400)), "30m",
        "How long the steps of an enrolment may take together."
    )
    package static let enrolmentRetention = Setting(
        "enrolment.retention", .duration(.seconds(60) ... .seconds(2_592_000)), "24h",
        "How long sessions that came to nothing and invitations that nobody used stay after their end."
    )

    /// The settings of enrolment.
    static let enrolment = [enrolmentKeyFile, enrolmentSessionLifetime, enrolmentRetention]
}
