import CaptureModel

extension Setting {
    // MARK: Servers

    static let redisURL = Setting(
        "redis.url", .text, "redis://127.0.0.1:6379", secret: true,
        "The queue's Redis: redis://, rediss:// (TLS, host name checked) or unix:///path/to/socket."
    )
    static let redisTLSRoots = Setting(
        "redis.tlsRoots", .text, nil,
        "PEM file with the roots that Redis's certificate must lead to; the system's when not set."
    )
    static let redisConnections = Setting(
        "redis.connections", .integer(1...64), "2", "Connections that share the commands of one program."
    )
    static let redisCommandTimeout = Setting(
        "redis.commandTimeout", .duration(.milliseconds(100) ... .seconds(120)), "5s",
        "How long Redis may take to answer a command before the connection is given up."
    )
    static let postgresURL = Setting(
        "postgres.url", .text, "postgresql:///capture", secret: true,
        "PostgreSQL, as libpq takes it: a postgresql:// address or keywords; TLS by its sslmode."
    )
    static let postgresConnectionsMax = Setting(
        "postgres.connectionsMax", .integer(1...200), "8", "Connections that one program opens at the most."
    )
    static let postgresStatementTimeout = Setting(
        "postgres.statementTimeout", .duration(.milliseconds(100) ... .seconds(600)), "10s",
        "How long a statement may take before PostgreSQL ends it."
    )
    static let postgresLockTimeout = Setting(
        "postgres.lockTimeout", .duration(.milliseconds(100) ... .seconds(600)), "5s",
        "How long a statement may wait for a lock."
    )

    // MARK: Whom to believe

    static let appIDs = Setting(
        "app.ids", .list, nil,
        "The app ids (team and bundle, as in ABCDE12345.com.example.app) whose devices are taken."
    )
    static let appEnvironments = Setting(
        "app.environments", .list, "production",
        "App Attest environments whose keys are taken: production, development."
    )
    static let appRoots = Setting(
        "app.roots", .list, nil, "PEM files of roots that are trusted besides Apple's, which is built in."
    )
    static let registrationPolicy = Setting(
        "app.registrationPolicy", .choice(["degrade", "reject"]), "degrade",
        "What becomes of a device whose attestation fails: registered as unverified, or refused."
    )

    // MARK: Captures

    static let bindings = Setting(
        "capture.bindings", .list, "concat-v1,framed-v2", "Bindings of signature and bytes that are taken."
    )
    static let counterPolicy = Setting(
        "capture.counterPolicy", .text, "strict", "When a counter is good: strict, or window(n) with n from 1 to 65536."
    )
    static let photoBytesMax = Setting(
        "capture.photoBytesMax", .bytes(1024...(64 << 20)), "10MiB", "The largest photo."
    )
    static let depthBytesMax = Setting(
        "capture.depthBytesMax", .bytes(1024...(64 << 20)), "5MiB", "The largest depth map as uploaded."
    )

    // MARK: Queue

    static let queuePartitions = Setting(
        "queue.partitions", .integer(1...1024), "1",
        "Partitions of the queue, a power of two; the same for every program on one Redis."
    )
    static let queueCapturesMax = Setting(
        "queue.capturesMax", .integer(1...100_000_000), "100000", "Captures that wait at the most; then 503 QUEUE_FULL."
    )
    static let queueCapturesPerDeviceMax = Setting(
        "queue.capturesPerDeviceMax", .integer(1...100_000_000), "20000",
        "Captures of one device that wait at the most; then 503 QUEUE_FULL for this device."
    )
    static let queueBytesMax = Setting(
        "queue.bytesMax", .bytes((1 << 20)...(1 << 44)), "4GiB", "Bytes that wait at the most; then 503 QUEUE_FULL."
    )
    static let queueLease = Setting(
        "queue.lease", .duration(.milliseconds(500) ... .seconds(600)), "5s",
        "How long a worker may be silent before another takes its lanes over."
    )
    static let queueDeliveriesMax = Setting(
        "queue.deliveriesMax", .integer(2...100), "4",
        "How often a capture may take its worker down before it is a dead letter."
    )
    static let queueStatusRetention = Setting(
        "queue.statusRetention", .duration(.seconds(1) ... .seconds(604_800)), "1h",
        "How long Redis keeps the status of a settled capture; PostgreSQL keeps the result for good."
    )
    static let queueAcceptedRetention = Setting(
        "queue.acceptedRetention", .duration(.seconds(60) ... .seconds(2_592_000)), "24h",
        "How long a repeated upload of a settled bundle is recognised by the queue."
    )
    static let queueDurability = Setting(
        "queue.durability", .choice(DurabilityLevel.allCases.map(\.rawValue)), DurabilityLevel.ledger.rawValue,
        "What a 202 rests on; the programs refuse servers whose settings do not keep it, and only warn at relaxed."
    )
    static let queueReplicas = Setting(
        "queue.replicas", .integer(1...16), "1",
        "Replicas of Redis that have a capture before it is answered for, at queue.durability replicated."
    )
    static let queueReplicaWait = Setting(
        "queue.replicaWait", .duration(.milliseconds(10) ... .seconds(60)), "1s",
        "How long they may take; then 503, and the client's next try finds its capture."
    )

    // MARK: Bundles

    static let bundlesStore = Setting(
        "bundles.store", .choice([BundleStoreName.redis.rawValue, BundleStoreName.filesystem.rawValue]), "redis",
        "Where the bytes of new captures go; those of queued ones are fetched from where they are."
    )
    static let bundlesDirectory = Setting(
        "bundles.directory", .text, nil,
        "The directory of the store filesystem, shared by all gateways and workers; capturectl migrate prepares it."
    )

    static let bundlesThreads = Setting(
        "bundles.threads", .integer(1...64), "8", "Files that one program reads and writes at once in the directory."
    )
    static let bundlesTimeout = Setting(
        "bundles.timeout", .duration(.milliseconds(100) ... .seconds(120)), "10s",
        "How long the directory may take for one capture; then 503, or another try by the worker."
    )
    static let bundlesOrphanAge = Setting(
        "bundles.orphanAge", .duration(.seconds(60) ... .seconds(2_592_000)), "15m",
        "How long bytes may lie whose capture is not in the queue: longer than any upload takes."
    )
    static let bundlesUnknownAge = Setting(
        "bundles.unknownAge", .duration(.seconds(60) ... .seconds(31_536_000)), "7d",
        "How long, without a ledger, that neither queue nor record knows: longer than Redis may be without its data."
    )

    // MARK: Intake ledger

    static let intakeWait = Setting(
        "intake.wait", .duration(.milliseconds(100) ... .seconds(60)), "5s",
        "How long an upload waits for its row in the ledger; then 503."
    )
    static let intakeGroupMax = Setting(
        "intake.groupMax", .integer(1...1024), "256", "Uploads that share one transaction of the ledger."
    )
    static let intakeBacklogMax = Setting(
        "intake.backlogMax", .integer(1...100_000), "1024", "Uploads that wait for the ledger; then 503."
    )
    static let intakeGrace = Setting(
        "intake.grace", .duration(.seconds(1) ... .seconds(3600)), "30s",
        "After what time an accepted capture with neither result nor queue entry is enqueued."
    )
    static let intakeInterval = Setting(
        "intake.interval", .duration(.milliseconds(10) ... .seconds(60)), "1s",
        "How often a gateway looks whether Redis has lost data."
    )
    static let intakeSweepInterval = Setting(
        "intake.sweepInterval", .duration(.seconds(1) ... .seconds(86_400)), "5m",
        "How often a gateway compares all open rows of the ledger with the queue, and not only new ones."
    )
    static let intakeRestoreWait = Setting(
        "intake.restoreWait", .duration(.milliseconds(10) ... .seconds(60)), "2s",
        "How long an upload waits while lost captures are put back; then 503."
    )

    // MARK: Worker

    static let workerConcurrency = Setting(
        "worker.concurrency", .integer(1...256), "2", "Captures verified side by side: one for each core."
    )
    static let workerPipelines = Setting(
        "worker.pipelines", .integer(1...16), "3", "Batches under way at once."
    )
    static let workerLinger = Setting(
        "worker.linger", .duration(.zero ... .seconds(1)), "10ms",
        "How long a batch under way keeps the next claim waiting, unless the queue holds more than one batch."
    )
    static let workerHashing = Setting(
        "worker.hashing", .choice(["auto", "scalar"]), "auto",
        "Whether bundles are hashed several at once, as is fastest on the processor, or one after the other."
    )
    static let workerClaimLanesMax = Setting(
        "worker.claimLanesMax", .integer(1...1024), "64",
        "Lanes taken with one claim at the most; fewer where those fill a batch."
    )
    static let workerCapturesPerLaneMax = Setting(
        "worker.capturesPerLaneMax", .integer(1...64), "16", "Captures taken from one lane with one claim at the most."
    )
    static let workerBatchBytesMax = Setting(
        "worker.batchBytesMax", .bytes((1 << 20)...(1 << 30)), "48MiB", "Bundle bytes that one batch holds."
    )
    static let workerBatchCapturesMax = Setting(
        "worker.batchCapturesMax", .integer(1...1024), "256", "Captures settled in one transaction."
    )
    static let workerAttemptsMax = Setting(
        "worker.attemptsMax", .integer(1...1000), "12", "How often a capture is tried before it is a dead letter."
    )
    static let workerRetryBase = Setting(
        "worker.retryBase", .duration(.milliseconds(10) ... .seconds(60)), "500ms",
        "The bound of the first wait after a transient fault; it doubles with every try."
    )
    static let workerRetryCap = Setting(
        "worker.retryCap", .duration(.milliseconds(10) ... .seconds(3600)), "60s", "The highest bound of such a wait."
    )
    static let workerOutageHold = Setting(
        "worker.outageHold", .duration(.milliseconds(100) ... .seconds(600)), "20s",
        "How long verified captures are held while a server is away, before they are handed back."
    )

    static let workerJobDeadline = Setting(
        "worker.jobDeadline", .duration(.milliseconds(100) ... .seconds(600)), "30s",
        "How long the verification of one capture may compute before its worker ends itself (exit 70)."
    )
    static let workerMemoryMax = Setting(
        "worker.memoryMax", .bytes((64 << 20)...(1 << 40)), "1GiB",
        "Memory (RSS) that a worker may hold before it ends itself (exit 70)."
    )
    static let workerMetricsHost = Setting(
        "worker.metricsHost", .text, "127.0.0.1", "The address where a worker shows health and metrics.")
    static let workerMetricsPort = Setting(
        "worker.metricsPort", .integer(0...65_535), "0",
        "The port for health and metrics; 0 takes a free one, which the log names."
    )

    // MARK: Gateway

    static let gatewayHost = Setting("gateway.host", .text, "127.0.0.1", "The address to listen on.")
    static let gatewayPort = Setting(
        "gateway.port", .integer(0...65_535), "8080", "The port to listen on; 0 takes a free one.")
    static let gatewayPrecheck = Setting(
        "gateway.precheck", .choice(["none", "structure", "signature"]), "structure",
        "What is looked at before an upload is queued; the worker always looks at everything."
    )
    static let gatewayTrustedProxies = Setting(
        "gateway.trustedProxies", .list, nil, "Addresses or networks (CIDR) whose X-Forwarded-For is believed."
    )
    static let gatewayChallengeLimit = Setting(
        "gateway.challengeLimit", .integer(1...1000), "10",
        "Challenges per client address and minute, and as many requests for each step of an enrolment."
    )
    static let gatewayUploadBytesInFlightMax = Setting(
        "gateway.uploadBytesInFlightMax", .bytes((16 << 20)...(1 << 36)), "256MiB",
        "Bytes of uploads that one gateway holds at once; then 503."
    )
    static let gatewayConnectionsMax = Setting(
        "gateway.connectionsMax", .integer(16...1_000_000), "4096",
        "Connections at once; one more takes the place of the one that has been idle for longest, or gets 503."
    )
    static let gatewayIdleTimeout = Setting(
        "gateway.idleTimeout", .duration(.milliseconds(100) ... .seconds(3600)), "60s",
        "How long a connection may be without a request, its head may take, and nothing may be read of an answer."
    )
    static let gatewayJSONTimeout = Setting(
        "gateway.jsonTimeout", .duration(.milliseconds(100) ... .seconds(600)), "10s",
        "How long the body of a JSON request may take; then 408."
    )
    static let gatewayUploadIdleTimeout = Setting(
        "gateway.uploadIdleTimeout", .duration(.milliseconds(100) ... .seconds(600)), "20s",
        "How long an upload may send nothing; then 408."
    )
    static let gatewayUploadTimeout = Setting(
        "gateway.uploadTimeout", .duration(.milliseconds(100) ... .seconds(3600)), "120s",
        "How long an upload's body may take as a whole; then 408."
    )
    static let gatewaySessionLifetime = Setting(
        "gateway.sessionLifetime", .duration(.seconds(60) ... .seconds(86_400)), "8h",
        "How long a login at the dashboard lasts."
    )
    static let gatewayEventStreamsMax = Setting(
        "gateway.eventStreamsMax", .integer(1...100_000), "256",
        "Streams of server-sent events of one gateway at once; then 503."
    )
    static let gatewayServerTimeout = Setting(
        "gateway.serverTimeout", .duration(.milliseconds(100) ... .seconds(60)), "2s",
        "How long Redis or PostgreSQL may take to answer one question of a request, bytes twice that; then 503."
    )
    static let readTokens = Setting(
        "gateway.readTokens", .list, nil, secret: true, "SHA-256 (hex) of tokens that may read every status and result."
    )
    static let operatorTokens = Setting(
        "gateway.operatorTokens", .list, nil, secret: true, "SHA-256 (hex) of tokens that may also act."
    )

    // MARK: Programs

    static let stopLimit = Setting(
        "program.stopLimit", .duration(.milliseconds(100) ... .seconds(600)), "25s",
        "How long work in flight may take after SIGTERM before it is cut off (exit 75 if that needs more than 5 s)."
    )
    static let logLevel = Setting(
        "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error"]), "info",
        "The least that is logged."
    )
    static let logFormat = Setting(
        "log.format", .choice(["json", "text", "auto"]), "auto",
        "JSON lines, plain text, or plain text on a terminal only."
    )

    /// Every setting there is, in the order of the documentation.
    public static let all: [Setting] = core + enrolment

    private static let core: [Setting] = [
        redisURL, redisTLSRoots, redisConnections, redisCommandTimeout, postgresURL,
        postgresConnectionsMax, postgresStatementTimeout, postgresLockTimeout, appIDs, appEnvironments, appRoots,
        registrationPolicy, rolloutFile, rolloutInterval, bindings, counterPolicy, photoBytesMax, depthBytesMax,
        queuePartitions, queueCapturesMax, queueCapturesPerDeviceMax, queueBytesMax, queueLease, queueDeliveriesMax,
        queueStatusRetention,
        queueAcceptedRetention, queueDurability, queueReplicas, queueReplicaWait, bundlesStore, bundlesDirectory,
        bundlesThreads, bundlesTimeout, bundlesOrphanAge, bundlesUnknownAge, intakeWait, intakeGroupMax,
        intakeBacklogMax, intakeGrace,
        intakeInterval, intakeSweepInterval, intakeRestoreWait, workerConcurrency, workerPipelines, workerLinger,
        workerHashing, workerClaimLanesMax, workerCapturesPerLaneMax, workerBatchBytesMax,
        workerBatchCapturesMax, workerAttemptsMax, workerRetryBase,
        workerRetryCap, workerOutageHold, workerJobDeadline, workerMemoryMax, workerMetricsHost, workerMetricsPort,
        appleKeyFile, appleKeyID, appleTeamID, appleTimeout, appleReceiptsURL, appleReceiptsDevelopmentURL,
        appleDeviceCheckURL, appleDeviceCheckDevelopmentURL, receiptsInterval, receiptsPollInterval, receiptsRetryBase,
        receiptsRetryCap, receiptsAlarmPause, receiptsUnknownPause, receiptsRiskWarning, gatewayHost, gatewayPort,
        gatewayPrecheck,
        gatewayTrustedProxies,
        gatewayChallengeLimit, gatewayUploadBytesInFlightMax, gatewayConnectionsMax, gatewayIdleTimeout,
        gatewayJSONTimeout, gatewayUploadIdleTimeout, gatewayUploadTimeout, gatewayServerTimeout,
        gatewaySessionLifetime, gatewayEventStreamsMax, readTokens,
        operatorTokens, stopLimit, logLevel,
        logFormat,
    ]
}
