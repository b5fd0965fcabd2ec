import CaptureGateway
import CaptureSettings

extension Setting {
    /// The setting that a value of the gateway's configuration comes from.
    static func of(_ field: GatewayConfiguration.Field) -> Setting {
        switch field {
        case .trustedProxies: gatewayTrustedProxies
        case .statusIDsMax: gatewayStatusIDsMax
        case .jsonBytesInFlightMax: gatewayJSONBytesInFlightMax
        case .uploadBytesInFlightMax: gatewayUploadBytesInFlightMax
        }
    }
}
