public import AppAttest
public import Backoff
public import CaptureInspection
public import CaptureModel
import DeviceTrust
public import MultiBufferSHA256

/// Everything that bounds and steers a worker.
///
/// The defaults are what the settings give where nobody sets anything (`Config/capture-processor.yaml`).
public struct WorkerConfiguration: Sendable, Equatable {
    /// The app ids whose captures are taken; a device that was attested is held to its own.
    public var appIDs: [AppID]
    /// The App Attest environments whose keys are taken.
    public var environments: Set<AttestEnvironment> = [.production]
    /// SHA-256 of the roots under which a key may have been attested; Apple's by default.
    public var trustRoots: Set<String> = [TrustRoot.appleAppAttestation.sha256]
    /// The bindings that are taken.
    public var bindings: Set<Binding> = [.concatV1, .framedV2]
    /// When a counter is good.
    public var counterPolicy = CounterPolicy.strict
    /// The risk metric above which a capture is verified with a warning; `nil`, the default, does not look at it.
    ///
    /// Where it is set, a production key without a metric is missing evidence.
    public var riskWarning: Int?
    /// Limits on photos, depth maps and metadata.
    public var inspection = InspectionLimits()

    /// Captures that are verified side by side: one for each core.
    public var concurrency = 2
    /// How many bundles are hashed side by side.
    public var hashing = HashingWidth.fastest
    /// Whether signatures are proven several at once, where the processor can.
    public var provesSignaturesTogether = true
    /// Lanes taken with one claim at the most; fewer where those fill a batch.
    public var claimLanesMax = 64
    /// Captures taken from one lane with one claim at the most.
    public var capturesPerLaneMax = 16
    /// How long a batch under way keeps the next claim waiting, so that what comes meanwhile is worked with one
    /// transaction; not where the queue holds more than one batch.
    public var linger = Duration.milliseconds(10)
    /// Batches under way at once: some wait for the disk or for bytes while others are verified.
    public var pipelines = 3
    /// Bundle bytes that one batch fetches; a single larger bundle is fetched alone.
    ///
    /// Fifteen bundles of 3 MB: nearly as many as are hashed side by side (``MultiBufferSHA256/HashingWidth``).
    public var batchBytesMax = 48 << 20
    /// Bytes of the largest bundle, photo and depth map; default 15 MiB.
    public var bundleBytesMax = 15 << 20
    /// Captures that are settled in one transaction.
    public var batchCapturesMax = 256

    /// How often a capture is tried before it is a dead letter.
    public var attemptsMax = 12
    /// How long a lane is put off after a transient fault.
    public var retryBackoff = Backoff(base: .milliseconds(500), cap: .seconds(60))
    /// How long verified captures are held while a server is away, before they are handed back.
    public var outageHold = Duration.seconds(20)
    /// How often lanes of lost workers are looked for: a sixteenth of the queue's lease, and every second at the least.
    public var takeOverInterval = Duration.microseconds(312_500)
    /// How long the program may take to stop.
    public var stopLimit = Duration.seconds(25)
    /// Devices whose keys are kept ready.
    public var cachedDevicesMax = 50_000
    /// How long a key is kept ready.
    ///
    /// Revocation does not wait for it: the settling transaction looks again.
    public var cachedDeviceLifetime = Duration.seconds(60)

    /// Which attested keys are taken.
    public var keys: TrustedKeys {
        TrustedKeys(apps: appIDs, environments: environments, trustRoots: trustRoots)
    }

    // MARK: Not for an operator

    /// How long a claim waits for the first lane; also how long an idle worker may take to stop, and a suspect has to
    /// wait for the worker's other claims.
    ///
    /// A token that comes meanwhile ends it, so that a longer one would gain nothing.
    public let claimWait = Duration.milliseconds(200)
    /// How long between two tries while a server is away: everything goes on within 2 s of its return.
    public let outageBackoff = Backoff(base: .milliseconds(50), cap: .milliseconds(500))
    /// How often lanes whose delay is over are looked for: what a delay may be too long by.
    public let promoteInterval = Duration.milliseconds(250)

    /// How long a stopping worker tries to give back what it has in hand.
    ///
    /// The rest of ``stopLimit`` is for those that stop after it, so that the program ends in good order all the same.
    public var giveBackLimit: Duration { stopLimit * 4 / 5 }

    /// Bundle bytes that all batches hold together: a bundle that is larger than a batch is one by itself.
    public var bytesInHandMax: Int { pipelines * max(batchBytesMax, bundleBytesMax) }

    /// Starts from the defaults.
    public init(appIDs: [AppID]) {
        self.appIDs = appIDs
    }
}
