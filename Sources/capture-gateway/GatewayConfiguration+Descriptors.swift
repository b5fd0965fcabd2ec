import CaptureGateway
import Logging
import ServerProgram

extension GatewayConfiguration {
    /// Descriptors for connections to servers, for files and for connections that are being refused.
    private static let reserve = 512
    /// What is left of them where the system allows few: what the gateway has open while nobody is connected.
    private static let reserveMin = DescriptorLimit.least * 3 / 4

    /// Has a file descriptor for every connection, or fewer connections where the system does not allow that.
    func fittingDescriptors(_ logger: Logger) -> GatewayConfiguration {
        let wanted = connections.countMax + connections.countMax / 16 + Self.reserve
        let allowed = DescriptorLimit.raise(to: wanted)
        guard allowed < wanted else { return self }
        let reserve = min(Self.reserve, max(Self.reserveMin, allowed / 2))
        var fitting = self
        fitting.connections.countMax = max(1, (allowed - reserve) * 16 / 17)
        logger.warning(
            "the system allows fewer connections than gateway.connectionsMax",
            metadata: ["descriptors": "\(allowed)", "connections": "\(fitting.connections.countMax)"]
        )
        return fitting
    }
}
