import ArgumentParser
import GatewayClient

/// `--gateway`, for the commands that talk to a gateway.
struct GatewayOption: ParsableArguments {
    @Option(
        name: .customLong("gateway"),
        help: "Address of the gateway: \(GatewayClient.Configuration.addressForms).")
    var address: String

    func validate() throws {
        guard GatewayClient.Configuration.isAddress(address) else {
            let forms = GatewayClient.Configuration.addressForms
            throw ValidationError("--gateway takes \(forms), not '\(address)'")
        }
    }
}
