import CaptureGateway

extension Setting {
    // MARK: Whom to believe

    static let appIDs = Setting(
        "app.ids", .list, nil,
        "The app ids (team and bundle, as in ABCDE12345.com.example.app) whose devices are taken."
    )
    static let appEnvironments = Setting(
        "app.environments", .list, "production",
        "App Attest environments whose keys are taken: production, development."
    )
    static let appRoots = Setting(
        "app.roots", .list, nil,
        "PEM files of roots trusted besides Apple's, which is built in; devices of one that is gone are refused."
    )
    static let registrationPolicy = Setting(
        "app.registrationPolicy", .choice(GatewayConfiguration.RegistrationPolicy.allCases.map(\.rawValue)),
        GatewayConfiguration.RegistrationPolicy.degrade.rawValue,
        "What becomes of a device whose attestation fails: registered as unverified, or refused."
    )

    /// Those of whom to believe.
    static let trust = [appIDs, appEnvironments, appRoots, registrationPolicy]
}
