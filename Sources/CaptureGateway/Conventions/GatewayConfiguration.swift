package import AppAttest

/// What an operator chooses of a gateway, each value by a setting of its own, in a group for each part that reads them.
///
/// Every value begins with the default of its setting. The range of a value is checked where settings are read;
/// ``validate()`` looks at what no setting can know by itself.
package struct GatewayConfiguration: Sendable, Equatable {
    /// Where it listens, and what holds for each connection.
    package var connections = Connections()
    /// What each request may be.
    package var requests = Requests()
    /// How often one client, or one device, may do something.
    package var rates = Rates()
    /// Whose keys are taken.
    package var trust: Trust
    /// For how long something is good that a device presents.
    package var validity = Validity()
    /// Who may read and act besides devices.
    package var access = Access()
    /// What an upload may be.
    package var uploads = Uploads()
    /// How an upload gets into the ledger.
    package var intake = Intake()
    /// How much may be read at once.
    package var reading = Reading()
    /// How long a readiness answer waits for each server.
    package var readinessTimeout: Duration = .seconds(1)

    /// Takes the apps and every default.
    package init(appIDs: [AppID]) {
        trust = Trust(appIDs: appIDs)
    }
}
