import AppAttest
import ArgumentParser

/// The app of simulated devices and the authority that attests them, as configured in the gateway.
struct TrustedAppOptions: ParsableArguments {
    @Option(name: .customLong("app-id"), help: "App id that the gateway accepts: team and bundle.")
    var appID: String

    @Option(
        help: "Directory or authority.pem of the test certificate authority that the gateway trusts.",
        completion: .file())
    var ca: String

    func validate() throws {
        guard AppID(appID) != nil else {
            throw ValidationError("--app-id takes team and bundle, as in ABCDE12345.com.example.app, not '\(appID)'")
        }
    }
}
