import CaptureGateway
import Glibc
import Logging

/// Sees to it that there is a file descriptor for every connection that the gateway may have.
enum DescriptorLimit {
    /// Descriptors for connections to servers, for files and for connections that are being refused.
    private static let reserve = 512

    /// Raises the process's limit as far as the system allows, and has fewer connections where that is not enough.
    static func fit(_ configuration: GatewayConfiguration, _ logger: Logger) -> GatewayConfiguration {
        let connections = configuration.connections.countMax
        let wanted = connections + connections / 16 + reserve
        let allowed = raise(to: wanted)
        guard allowed < wanted else { return configuration }
        var configuration = configuration
        configuration.connections.countMax = max(1, (allowed - min(reserve, allowed / 2)) * 16 / 17)
        logger.warning(
            "the system allows fewer connections than gateway.connectionsMax",
            metadata: ["descriptors": "\(allowed)", "connections": "\(configuration.connections.countMax)"]
        )
        return configuration
    }

    private static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        if limit.rlim_cur < rlim_t(wanted) {
            limit.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
