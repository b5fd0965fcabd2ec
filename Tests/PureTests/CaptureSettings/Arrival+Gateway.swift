import AppAttest
import CaptureGateway
import CaptureInspection
import CaptureModel
import GatewaySettings

@testable import CaptureSettings

extension Arrival {
    private static let digest = String(repeating: "0a", count: 32)

    static let listening: [Arrival] = [
        .gateway(.gatewayHost, "0.0.0.0") { $0.host == "0.0.0.0" },
        .gateway(.gatewayPort, "9090") { $0.port == 9090 },
        .gateway(.gatewayTrustedProxies, "10.0.0.0/8,fd00::/8") { $0.trustedProxies == ["10.0.0.0/8", "fd00::/8"] },
        .gateway(.gatewayConnectionsMax, "64") { $0.connectionsMax == 64 },
        Arrival(.gatewayConnectionsMax, "1000000") { $0.watchersMax == 1_000_000 },
        .gateway(.gatewayHeaderBytesMax, "8KiB") { $0.headerBytesMax == 8_192 },
        .gateway(.gatewayHeaderFieldsMax, "20") { $0.headerFieldsMax == 20 },
        .gateway(.gatewayIdleTimeout, "7s") { $0.idleTimeout == .seconds(7) },
        .gateway(.gatewayLingerTimeout, "3s") { $0.lingerTimeout == .seconds(3) },
        .gateway(.gatewayReadinessTimeout, "4s") { $0.readinessTimeout == .seconds(4) },
        .gateway(.gatewayJSONBytesMax, "128KiB") { $0.jsonBytesMax == 131_072 },
        .gateway(.gatewayJSONBytesInFlightMax, "4MiB") { $0.jsonBytesInFlightMax == 4_194_304 },
        .gateway(.gatewayJSONTimeout, "6s") { $0.jsonTimeout == .seconds(6) },
        .gateway(.gatewayRefusedLinesMax, "5") { $0.refusedLinesMax == 5 },
    ]

    static let trusting: [Arrival] = [
        .gateway(.appIDs, "TEAM123456.com.example.other") { $0.appIDs.map(\.text) == ["TEAM123456.com.example.other"] },
        .gateway(.appEnvironments, "development") { $0.environments == [.development] },
        .gateway(.registrationPolicy, "reject") { $0.registrationPolicy == .reject },
        .gateway(.gatewayChallengeLimit, "3") { $0.challengeLimit == 3 },
        .gateway(.gatewayChallengeLifetime, "2m") { $0.challengeLifetime == .seconds(120) },
        .gateway(.gatewayRequestWindow, "1m") { $0.requestWindow == .seconds(60) },
        .gateway(.gatewayRequestLimit, "90") { $0.requestLimit == 90 },
        .gateway(.enrolmentSessionLifetime, "10m") { $0.enrolmentLifetime == .seconds(600) },
        .gateway(.readTokens, digest) { $0.readTokenDigests.map(\.hex) == [digest] },
        .gateway(.evidenceTokens, digest) { $0.evidenceTokenDigests.map(\.hex) == [digest] },
        .gateway(.operatorTokens, digest) { $0.operatorTokenDigests.map(\.hex) == [digest] },
        .gateway(.gatewayLoginLimit, "4") { $0.loginLimit == 4 },
        .gateway(.gatewaySessionLifetime, "1h") { $0.sessionLifetime == .seconds(3_600) },
    ]

    static let uploading: [Arrival] = [
        .gateway(.bindings, "framed-v2") { $0.bindings == [.framedV2] },
        .gateway(.gatewayPrecheck, "signature") { $0.precheck == .signature },
        .gateway(.photoBytesMax, "12MiB") { $0.photoBytesMax == 12_582_912 },
        .gateway(.depthBytesMax, "6MiB") { $0.depthBytesMax == 6_291_456 },
        .gateway(.assertionBytesMax, "4KiB") { $0.assertionBytesMax == 4_096 },
        .gateway(.metadataBytesMax, "2KiB") { $0.metadataBytesMax == 2_048 },
        .gateway(.gatewayUploadBytesInFlightMax, "64MiB") { $0.uploadBytesInFlightMax == 67_108_864 },
        .gateway(.gatewayUploadIdleTimeout, "11s") { $0.uploadIdleTimeout == .seconds(11) },
        .gateway(.gatewayUploadTimeout, "70s") { $0.uploadTimeout == .seconds(70) },
        .gateway(.gatewayEventStreamsMax, "9") { $0.eventStreamsMax == 9 },
        .gateway(.gatewayPicturesMax, "11") { $0.picturesMax == 11 },
        .gateway(.gatewayStatusIDsMax, "7") { $0.statusIDsMax == 7 },
        .gateway(.gatewayWaitMax, "9s") { $0.waitMax == .seconds(9) },
        .gateway(.intakeWait, "3s") { $0.intakeWait == .seconds(3) },
        .gateway(.intakeGroupMax, "17") { $0.intakeGroupMax == 17 },
        .gateway(.intakeBacklogMax, "19") { $0.intakeBacklogMax == 19 },
        Arrival(.intakeBacklogMax, "19") { $0.replicaBacklogMax == 19 },
        .gateway(.intakeRestoreWait, "4s") { $0.restoreWait == .seconds(4) },
    ]

    static let inspecting: [Arrival] = [
        .media(.photoBytesMax, "12MiB") { $0.photoBytesMax == 12_582_912 },
        .media(.photoPixelsMax, "100000000") { $0.photo.pixelsMax == 100_000_000 },
        .media(.photoSegmentsMax, "99") { $0.photo.segmentsMax == 99 },
        .media(.photoScansMax, "11") { $0.photo.scansMax == 11 },
        .media(.photoMetadataBytesMax, "2MiB") { $0.photo.metadataBytesMax == 2_097_152 },
        .media(.metadataBytesMax, "4KiB") { $0.metadata.bytesMax == 4_096 },
        .media(.depthBytesMax, "20MiB") { $0.metadata.depthValuesMax == 5_242_880 },
        .media(.measuredPercentMin, "30") { $0.measuredShareMin == 0.3 },
        .media(.captureAgeMax, "7d") { $0.ageMax == .seconds(604_800) },
        .media(.captureLeadMax, "1m") { $0.leadMax == .seconds(60) },
    ]
}
