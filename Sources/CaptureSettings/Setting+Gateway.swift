import CaptureModel

extension Setting {
    // MARK: Gateway

    package static let gatewayHost = Setting("gateway.host", .text, "127.0.0.1", "The address to listen on.")
    package static let gatewayPort = Setting(
        "gateway.port", .integer(0...65_535), "8080", "The port to listen on; 0 takes a free one.")
    package static let gatewayPrecheck = Setting(
        "gateway.precheck", .choice(PrecheckLevel.allCases.map(\.rawValue)),
        PrecheckLevel.structure.rawValue,
        "What is looked at before an upload is queued; the worker always looks at everything."
    )
    package static let gatewayTrustedProxies = Setting(
        "gateway.trustedProxies", .list, nil,
        "Addresses or networks (CIDR) whose X-Forwarded-For is believed; clients behind any other proxy count as one."
    )
    package static let gatewayChallengeLimit = Setting(
        "gateway.challengeLimit", .integer(1...1000), "10",
        "Challenges per client address and minute, and as many requests for each step of an enrolment."
    )
    package static let gatewayChallengeLifetime = Setting(
        "gateway.challengeLifetime", .duration(.seconds(10) ... .seconds(3600)), "5m",
        "How long a challenge may be answered."
    )
    package static let gatewayRequestWindow = Setting(
        "gateway.requestWindow", .duration(.seconds(10) ... .seconds(3600)), "5m",
        "How far the time of a signed request may be from the gateway's."
    )
    package static let gatewayRequestLimit = Setting(
        "gateway.requestLimit", .integer(1...1000), "600",
        "Signed requests per device with an Ed25519 key and minute, each of which Redis remembers; then 429."
    )
    package static let gatewayLoginLimit = Setting(
        "gateway.loginLimit", .integer(1...1000), "10",
        "Logins at the dashboard per client address and minute, and as many unknown tokens of requests; then 429."
    )
    package static let gatewayUploadBytesInFlightMax = Setting(
        "gateway.uploadBytesInFlightMax", .bytes((16 << 20)...(1 << 36)), "256MiB",
        "Bytes of uploads that one gateway holds at once, one client address three quarters at the most; then 503."
    )
    package static let gatewayConnectionsMax = Setting(
        "gateway.connectionsMax", .integer(16...1_000_000), "4096",
        "Connections at once, one client address three quarters of the busy ones at the most; one more takes the place of the "
            + "one that has been idle for longest, or gets 503."
    )
    package static let gatewayHeaderBytesMax = Setting(
        "gateway.headerBytesMax", .bytes((4 << 10)...(1 << 20)), "32KiB", "Bytes of all header fields of a request."
    )
    package static let gatewayHeaderFieldsMax = Setting(
        "gateway.headerFieldsMax", .integer(10...1000), "100", "Header fields of a request."
    )
    package static let gatewayIdleTimeout = Setting(
        "gateway.idleTimeout", .duration(.milliseconds(100) ... .seconds(3600)), "60s",
        "How long a connection may be without a request, its head may take, and nothing may be read of an answer."
    )
    package static let gatewayLingerTimeout = Setting(
        "gateway.lingerTimeout", .duration(.milliseconds(100) ... .seconds(60)), "5s",
        "How long the rest of a refused request is read, so that its sender gets to the answer."
    )
    package static let gatewayJSONBytesMax = Setting(
        "gateway.jsonBytesMax", .bytes((32 << 10)...(16 << 20)), "64KiB", "Bytes of a JSON request; then 413."
    )
    package static let gatewayJSONBytesInFlightMax = Setting(
        "gateway.jsonBytesInFlightMax", .bytes((1 << 20)...(1 << 36)), "32MiB",
        "Bytes of JSON and form requests that one gateway holds at once, one client address three quarters; then 503."
    )
    package static let gatewayJSONTimeout = Setting(
        "gateway.jsonTimeout", .duration(.milliseconds(100) ... .seconds(600)), "10s",
        "How long the body of a JSON request may take; then 408."
    )
    package static let gatewayUploadIdleTimeout = Setting(
        "gateway.uploadIdleTimeout", .duration(.milliseconds(100) ... .seconds(600)), "20s",
        "How long an upload may send nothing; then 408."
    )
    package static let gatewayUploadTimeout = Setting(
        "gateway.uploadTimeout", .duration(.milliseconds(100) ... .seconds(3600)), "120s",
        "How long an upload's body may take as a whole; then 408."
    )
    package static let gatewayWaitMax = Setting(
        "gateway.waitMax", .duration(.seconds(1) ... .seconds(300)), "30s",
        "The longest that a status answer may be held back (?wait=…)."
    )
    package static let gatewayStatusIDsMax = Setting(
        "gateway.statusIDsMax", .integer(1...10_000), "500",
        "Captures of one status request, of a device's 100 at the most; each takes 39 bytes of gateway.jsonBytesMax."
    )
    package static let gatewayReadinessTimeout = Setting(
        "gateway.readinessTimeout", .duration(.milliseconds(100) ... .seconds(60)), "1s",
        "How long /readyz waits for Redis and for PostgreSQL."
    )
    package static let gatewaySessionLifetime = Setting(
        "gateway.sessionLifetime", .duration(.seconds(60) ... .seconds(86_400)), "8h",
        "How long a login at the dashboard lasts."
    )
    package static let gatewayEventStreamsMax = Setting(
        "gateway.eventStreamsMax", .integer(1...100_000), "256",
        "Streams of server-sent events of one gateway at once, of which devices may have three quarters; then 503."
    )
    package static let gatewayPicturesMax = Setting(
        "gateway.picturesMax", .integer(1...256), "4",
        "Pictures that one gateway makes for the dashboard at once, each with a whole capture in memory; one more waits 2 s, "
            + "then 503."
    )
    package static let gatewayRefusedLinesMax = Setting(
        "gateway.refusedLinesMax", .integer(0...100_000), "60",
        "Refused registrations and uploads of each code and minute that are logged at info; the others are at debug."
    )
    package static let gatewayServerTimeout = Setting(
        "gateway.serverTimeout", .duration(.milliseconds(100) ... .seconds(60)), "2s",
        "How long Redis or PostgreSQL may take to answer one question of a request, bytes twice that; then 503."
    )
    package static let readTokens = Setting(
        "gateway.readTokens", .list, nil, secret: true, "SHA-256 (hex) of tokens that may read every status and result."
    )
    package static let evidenceTokens = Setting(
        "gateway.evidenceTokens", .list, nil, secret: true,
        "SHA-256 (hex) of tokens that may also read evidence, in which places are, and do nothing: for servers, no logins."
    )
    package static let operatorTokens = Setting(
        "gateway.operatorTokens", .list, nil, secret: true, "SHA-256 (hex) of tokens that may also act."
    )

    /// The settings of gateways.
    static let gateway = [
        gatewayHost, gatewayPort, gatewayPrecheck, gatewayTrustedProxies, gatewayChallengeLimit,
        gatewayChallengeLifetime, gatewayRequestWindow, gatewayRequestLimit, gatewayLoginLimit,
        gatewayUploadBytesInFlightMax, gatewayConnectionsMax, gatewayHeaderBytesMax, gatewayHeaderFieldsMax,
        gatewayIdleTimeout, gatewayLingerTimeout, gatewayJSONBytesMax, gatewayJSONBytesInFlightMax,
        gatewayJSONTimeout, gatewayUploadIdleTimeout, gatewayUploadTimeout, gatewayWaitMax, gatewayStatusIDsMax,
        gatewayReadinessTimeout, gatewaySessionLifetime, gatewayEventStreamsMax, gatewayPicturesMax,
        gatewayRefusedLinesMax, gatewayServerTimeout, readTokens, evidenceTokens, operatorTokens,
    ]
}
