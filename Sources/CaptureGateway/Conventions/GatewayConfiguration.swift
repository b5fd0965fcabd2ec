package import AppAttest
package import CaptureInspection
package import CaptureModel

/// What an operator chooses of a gateway, each value by a setting of its own.
///
/// Every limit has a default, which is the setting's.
package struct GatewayConfiguration: Sendable, Equatable {
    // MARK: Listening

    /// The address to listen on.
    ///
    /// Default `127.0.0.1`.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    ///
    /// Default 8080.
    package var port = 8080
    /// Bytes of all header fields of a request.
    ///
    /// Default 32 KiB.
    package var headerBytesMax = 32 << 10
    /// Header fields of a request.
    ///
    /// Default 100.
    package var headerFieldsMax = 100
    /// How long a connection may be idle, a request's head may take, and an answer may stay unread.
    ///
    /// Default 60 s.
    package var idleTimeout: Duration = .seconds(60)
    /// How long a connection stays open for reading after an answer that came before its request's end.
    ///
    /// So that the client gets to read it. Default 5 s.
    package var lingerTimeout: Duration = .seconds(5)
    /// Connections at once; see ``ConnectionLimit``.
    ///
    /// Default 4,096.
    package var connectionsMax = 4096
    /// Networks (CIDR) whose `X-Forwarded-For` is believed.
    ///
    /// Default none.
    package var trustedProxies: [String] = []
    /// Bytes of a JSON request.
    ///
    /// Default 64 KiB.
    package var jsonBytesMax = 64 << 10
    /// Bytes of JSON and form requests in memory at once, heads and bodies; see ``RequestBodies``.
    ///
    /// Default 32 MiB.
    package var jsonBytesInFlightMax = 32 << 20
    /// How long the body of a JSON request may take.
    ///
    /// Default 10 s.
    package var jsonTimeout: Duration = .seconds(10)
    /// How long a readiness answer waits for each server.
    ///
    /// Default 1 s.
    package var readinessTimeout: Duration = .seconds(1)
    /// Refusals of each code and minute that are logged at `info`; see ``RefusedRequests``.
    ///
    /// Default 60.
    package var refusedLinesMax = 60

    // MARK: Devices

    /// The apps whose keys are taken.
    package var appIDs: [AppID]
    /// The App Attest environments whose keys are taken.
    ///
    /// Default production.
    package var environments: Set<AttestEnvironment> = [.production]
    /// The roots that an attestation's chain may end in.
    ///
    /// Default Apple's.
    package var roots: [TrustRoot] = [.appleAppAttestation]
    /// The roots that a receipt's chain may end in.
    ///
    /// Default Apple's.
    package var receiptRoots: [TrustRoot] = [.appleRootG3]
    /// What becomes of a device whose attestation is not verified.
    ///
    /// Default `degrade`.
    package var registrationPolicy: RegistrationPolicy = .degrade
    /// Challenges per client and minute.
    ///
    /// Default 10.
    package var challengeLimit = 10
    /// How long a challenge may be presented.
    ///
    /// Default 300 s.
    package var challengeLifetime: Duration = .seconds(300)
    /// How long the steps of an enrolment may take together.
    ///
    /// Default 30 min.
    package var enrolmentLifetime: Duration = .seconds(1800)
    /// How far a signed request's timestamp may be from the server's time.
    ///
    /// Default 300 s.
    package var requestWindow: Duration = .seconds(300)
    /// Signed requests per minute of a device with a plain Ed25519 key, each of which is remembered.
    ///
    /// Default 600.
    package var requestLimit = 600

    // MARK: Tokens

    /// SHA-256 of the tokens that may read every capture.
    ///
    /// Default none.
    package var readTokenDigests: [SHA256Digest] = []
    /// SHA-256 of the tokens that may read every capture and its evidence.
    ///
    /// Default none.
    package var evidenceTokenDigests: [SHA256Digest] = []
    /// SHA-256 of the tokens of operators.
    ///
    /// Default none.
    package var operatorTokenDigests: [SHA256Digest] = []
    /// Logins at the dashboard per client and minute; unknown tokens of requests have the same limit.
    ///
    /// Default 10.
    package var loginLimit = 10
    /// How long a login at the dashboard lasts.
    ///
    /// Default 8 h.
    package var sessionLifetime: Duration = .seconds(28_800)
    /// Streams of server-sent events at once, of which devices may have three quarters; one more is answered with 503.
    ///
    /// Default 256.
    package var eventStreamsMax = 256
    /// Pictures that are made for the dashboard at once, each with a whole bundle in memory; see ``PictureGate``.
    ///
    /// Default 4.
    package var picturesMax = 4

    // MARK: Captures

    /// Bytes of a photo, at the gateway and when it is inspected.
    ///
    /// Default 10 MiB.
    package var photoBytesMax: Int {
        get { inspection.photoBytesMax }
        set { inspection.photoBytesMax = newValue }
    }
    /// Bytes of a depth map as uploaded.
    ///
    /// Default 5 MiB.
    package var depthBytesMax = 5 << 20
    /// Bytes of an assertion as uploaded.
    ///
    /// Default 8 KiB.
    package var assertionBytesMax = 8 << 10
    /// Bytes of the metadata, at the gateway and when they are read.
    ///
    /// Default 16 KiB.
    package var metadataBytesMax: Int {
        get { inspection.metadata.bytesMax }
        set { inspection.metadata.bytesMax = newValue }
    }
    /// The bindings that are taken.
    ///
    /// Default all.
    package var bindings: Set<Binding> = Set(Binding.allCases)
    /// How much of an upload's assertion is looked at before it is queued.
    ///
    /// Default `structure`.
    package var precheck: PrecheckLevel = .structure
    /// Bytes of all uploads in memory at once; see ``BodyBudget`` for one client's share.
    ///
    /// Default 256 MiB.
    package var uploadBytesInFlightMax = 256 << 20
    /// How long an upload may send nothing.
    ///
    /// Default 20 s.
    package var uploadIdleTimeout: Duration = .seconds(20)
    /// How long an upload may take.
    ///
    /// Default 120 s.
    package var uploadTimeout: Duration = .seconds(120)
    /// How long an upload waits for its row in the ledger.
    ///
    /// Default 5 s.
    package var intakeWait: Duration = .seconds(5)
    /// Uploads that one transaction of the ledger takes.
    ///
    /// Default 256.
    package var intakeGroupMax = 256
    /// Uploads that wait for the ledger; more are answered with 503.
    ///
    /// Default 1,024.
    package var intakeBacklogMax = 1024
    /// How long an upload waits while the queue is being restored from the ledger.
    ///
    /// Default 2 s.
    package var restoreWait: Duration = .seconds(2)
    /// The longest that a status answer is held back.
    ///
    /// Default 30 s.
    package var waitMax: Duration = .seconds(30)
    /// Captures of one status request.
    ///
    /// Default 500.
    package var statusIDsMax = 500
    /// What the media may be.
    package var inspection = InspectionLimits()

    /// Takes the apps and every default.
    package init(appIDs: [AppID]) {
        self.appIDs = appIDs
    }
}
