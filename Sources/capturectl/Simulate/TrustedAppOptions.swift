import AppAttest
import ArgumentParser

/// The app that simulated devices are of, and the authority that vouches for them: both as a gateway has them.
struct TrustedAppOptions: ParsableArguments {
    @Option(name: .customLong("app-id"), help: "App id that the gateway accepts: team and bundle.")
    var appID: String

    @Option(
        help: "Directory or authority.pem of the test certificate authority that the gateway trusts.",
        completion: .file())
    var ca: String

    func validate() throws {
        guard AppID(appID) != nil else { throw ValidationError("--app-id takes TEAMID.bundle.id, not '\(appID)'") }
    }
}
