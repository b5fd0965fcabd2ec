import ArgumentParser
import GatewayClient

/// `--gateway`, for the commands that talk to a gateway.
struct GatewayOption: ParsableArguments {
    @Option(name: .customLong("gateway"), help: "Address of the gateway: http://host:port or http+unix://%2Fpath.")
    var address: String

    func validate() throws {
        guard GatewayClient.Configuration.isAddress(address) else {
            throw ValidationError("--gateway takes http://host:port or http+unix://%2Fpath, not '\(address)'")
        }
    }
}
