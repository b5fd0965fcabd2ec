import AppAttest
import CaptureGateway
import CaptureInspection
import CaptureModel
import GatewaySettings

@testable import CaptureSettings

extension Arrival {
    private static let digest = String(repeating: "0a", count: 32)

    static let listening: [Arrival] = [
        .gateway(.gatewayHost, "0.0.0.0") { $0.connections.host == "0.0.0.0" },
        .gateway(.gatewayPort, "9090") { $0.connections.port == 9090 },
        .gateway(.gatewayTrustedProxies, "10.0.0.0/8,fd00::/8") {
            $0.connections.trustedProxies == ["10.0.0.0/8", "fd00::/8"]
        },
        .gateway(.gatewayConnectionsMax, "64") { $0.connections.countMax == 64 },
        Arrival(.gatewayConnectionsMax, "1000000") { $0.watchersMax == 1_000_000 },
        .gateway(.gatewayHeaderBytesMax, "8KiB") { $0.requests.headerBytesMax == 8_192 },
        .gateway(.gatewayHeaderFieldsMax, "20") { $0.requests.headerFieldsMax == 20 },
        .gateway(.gatewayIdleTimeout, "7s") { $0.connections.idleTimeout == .seconds(7) },
        .gateway(.gatewayLingerTimeout, "3s") { $0.connections.lingerTimeout == .seconds(3) },
        .gateway(.gatewayReadinessTimeout, "4s") { $0.readinessTimeout == .seconds(4) },
        .gateway(.gatewayJSONBytesMax, "128KiB") { $0.requests.jsonBytesMax == 131_072 },
        .gateway(.gatewayJSONBytesInFlightMax, "4MiB") { $0.requests.jsonBytesInFlightMax == 4_194_304 },
        .gateway(.gatewayJSONTimeout, "6s") { $0.requests.jsonTimeout == .seconds(6) },
        .gateway(.gatewayRefusedLinesMax, "5") { $0.requests.refusedLinesMax == 5 },
    ]

    static let trusting: [Arrival] = [
        .gateway(.appIDs, "TEAM123456.com.example.other") {
            $0.trust.appIDs.map(\.text) == ["TEAM123456.com.example.other"]
        },
        .gateway(.appEnvironments, "development") { $0.trust.environments == [.development] },
        .gateway(.registrationPolicy, "reject") { $0.trust.registrationPolicy == .reject },
        .gateway(.gatewayChallengeLimit, "3") { $0.rates.challengeLimit == 3 },
        .gateway(.gatewayChallengeLifetime, "2m") { $0.validity.challengeLifetime == .seconds(120) },
        .gateway(.gatewayRequestWindow, "1m") { $0.validity.requestWindow == .seconds(60) },
        .gateway(.gatewayRequestLimit, "90") { $0.rates.requestLimit == 90 },
        .gateway(.enrolmentSessionLifetime, "10m") { $0.validity.enrolmentLifetime == .seconds(600) },
        .gateway(.readTokens, digest) { $0.access.readTokenDigests.map(\.hex) == [digest] },
        .gateway(.evidenceTokens, digest) { $0.access.evidenceTokenDigests.map(\.hex) == [digest] },
        .gateway(.operatorTokens, digest) { $0.access.operatorTokenDigests.map(\.hex) == [digest] },
        .gateway(.gatewayLoginLimit, "4") { $0.rates.loginLimit == 4 },
        .gateway(.gatewaySessionLifetime, "1h") { $0.access.sessionLifetime == .seconds(3_600) },
    ]

    static let uploading: [Arrival] = [
        .gateway(.bindings, "framed-v2") { $0.uploads.bindings == [.framedV2] },
        .gateway(.gatewayPrecheck, "signature") { $0.uploads.precheck == .signature },
        .gateway(.photoBytesMax, "12MiB") { $0.uploads.photoBytesMax == 12_582_912 },
        .gateway(.depthBytesMax, "6MiB") { $0.uploads.depthBytesMax == 6_291_456 },
        .gateway(.assertionBytesMax, "4KiB") { $0.uploads.assertionBytesMax == 4_096 },
        .gateway(.metadataBytesMax, "2KiB") { $0.uploads.metadataBytesMax == 2_048 },
        .gateway(.gatewayUploadBytesInFlightMax, "64MiB") { $0.uploads.bytesInFlightMax == 67_108_864 },
        .gateway(.gatewayUploadIdleTimeout, "11s") { $0.uploads.idleTimeout == .seconds(11) },
        .gateway(.gatewayUploadTimeout, "70s") { $0.uploads.timeout == .seconds(70) },
        .gateway(.gatewayEventStreamsMax, "9") { $0.reading.eventStreamsMax == 9 },
        .gateway(.gatewayPicturesMax, "11") { $0.reading.picturesMax == 11 },
        .gateway(.gatewayStatusIDsMax, "7") { $0.reading.statusIDsMax == 7 },
        .gateway(.gatewayWaitMax, "9s") { $0.reading.waitMax == .seconds(9) },
        .gateway(.intakeWait, "3s") { $0.intake.wait == .seconds(3) },
        .gateway(.intakeGroupMax, "17") { $0.intake.groupMax == 17 },
        .gateway(.intakeBacklogMax, "19") { $0.intake.backlogMax == 19 },
        Arrival(.intakeBacklogMax, "19") { $0.replicaBacklogMax == 19 },
        .gateway(.intakeRestoreWait, "4s") { $0.intake.restoreWait == .seconds(4) },
    ]

    static let inspecting: [Arrival] = [
        .media(.photoBytesMax, "12MiB") { $0.photoBytesMax == 12_582_912 },
        .media(.depthBytesMax, "6MiB") { $0.depthBytesMax == 6_291_456 && $0.bundleBytesMax == 16_777_216 },
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
