import CaptureGateway
import CaptureSettings

extension Setting {
    /// The setting that a value of the gateway's configuration comes from.
    static func of(_ field: GatewayConfiguration.Field) -> Setting {
        switch field {
        case .port: gatewayPort
        case .headerBytesMax: gatewayHeaderBytesMax
        case .headerFieldsMax: gatewayHeaderFieldsMax
        case .connectionsMax: gatewayConnectionsMax
        case .jsonBytesMax: gatewayJSONBytesMax
        case .jsonBytesInFlightMax: gatewayJSONBytesInFlightMax
        case .trustedProxies: gatewayTrustedProxies
        case .appIDs: appIDs
        case .environments: appEnvironments
        case .challengeLimit: gatewayChallengeLimit
        case .requestLimit: gatewayRequestLimit
        case .loginLimit: gatewayLoginLimit
        case .photoBytesMax: photoBytesMax
        case .depthBytesMax: depthBytesMax
        case .assertionBytesMax: assertionBytesMax
        case .metadataBytesMax: metadataBytesMax
        case .bindings: bindings
        case .uploadBytesInFlightMax: gatewayUploadBytesInFlightMax
        case .statusIDsMax: gatewayStatusIDsMax
        case .intakeGroupMax: intakeGroupMax
        case .intakeBacklogMax: intakeBacklogMax
        case .eventStreamsMax: gatewayEventStreamsMax
        case .picturesMax: gatewayPicturesMax
        case .refusedLinesMax: gatewayRefusedLinesMax
        case .idleTimeout: gatewayIdleTimeout
        case .jsonTimeout: gatewayJSONTimeout
        case .lingerTimeout: gatewayLingerTimeout
        case .readinessTimeout: gatewayReadinessTimeout
        case .uploadIdleTimeout: gatewayUploadIdleTimeout
        case .uploadTimeout: gatewayUploadTimeout
        case .challengeLifetime: gatewayChallengeLifetime
        case .requestWindow: gatewayRequestWindow
        case .enrolmentLifetime: enrolmentSessionLifetime
        case .sessionLifetime: gatewaySessionLifetime
        case .waitMax: gatewayWaitMax
        case .intakeWait: intakeWait
        case .restoreWait: intakeRestoreWait
        }
    }
}
