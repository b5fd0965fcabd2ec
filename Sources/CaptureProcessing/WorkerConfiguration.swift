package import AppAttest
package import CaptureInspection
package import CaptureModel
package import MultiBufferSHA256
package import Waiting

/// The limits, times and policies of a worker.
///
/// The defaults are those of the settings (`Config/capture-processor.yaml`).
package struct WorkerConfiguration: Sendable, Equatable {
    /// The app ids whose captures are taken; an attested device may only use its own.
    package var appIDs: [AppID]
    /// The App Attest environments whose keys are taken.
    package var environments: Set<AttestEnvironment> = [.production]
    /// SHA-256 of the roots under which a key may have been attested; Apple's by default.
    package var trustRoots: Set<String> = [TrustRoot.appleAppAttestation.sha256]
    /// The bindings that are taken.
    package var bindings: Set<Binding> = [.concatV1, .framedV2]
    /// The rule by which a counter is accepted.
    package var counterPolicy = CounterPolicy.strict
    /// The risk metric above which a capture is verified with a warning; `nil`, the default, does not look at it.
    ///
    /// When it is set, a production key without a metric is missing evidence.
    package var riskWarning: Int?
    /// Limits on photos, depth maps and metadata.
    package var inspection = InspectionLimits()

    /// Captures that are verified side by side: one for each core.
    package var concurrency = 2
    /// How many bundles are hashed side by side.
    package var hashing = HashingWidth.fastest
    /// Whether several signatures are proven at once, if the processor can.
    package var provesSignaturesTogether = true
    /// Lanes taken with one claim at the most; fewer when those fill a batch.
    package var claimLanesMax = 64
    /// Captures taken from one lane with one claim at the most.
    package var capturesPerLaneMax = 16
    /// How long a batch under way delays the next claim, so that captures that arrive meanwhile share one transaction;
    /// no delay while the queue holds more than one batch.
    package var linger = Duration.milliseconds(10)
    /// Batches under way at once: some wait for the disk or for bytes while others are verified.
    package var pipelines = 3
    /// Bundle bytes that one batch fetches; a single larger bundle is fetched alone.
    ///
    /// Fifteen bundles of 3 MB: nearly as many as are hashed side by side (``MultiBufferSHA256/HashingWidth``).
    package var batchBytesMax = 48 << 20
    /// Captures that are settled in one transaction.
    package var batchCapturesMax = 256

    /// How often a capture is tried before it is a dead letter.
    package var attemptsMax = 12
    /// How long a lane is put off after a transient fault.
    package var retryBackoff = Backoff(base: .milliseconds(500), cap: .seconds(60))
    /// How long verified captures are held while a server is away, before they are handed back.
    package var outageHold = Duration.seconds(20)
    /// How often lanes of lost workers are looked for: a sixteenth of the queue's lease, at least once a second.
    package var takeOverInterval = Duration.microseconds(312_500)
    /// How long the program may take to stop.
    package var stopLimit = Duration.seconds(25)
    /// Devices whose keys are kept ready.
    package var cachedDevicesMax = 50_000
    /// How long a key is kept ready.
    ///
    /// Revocation does not wait for it: the settling transaction looks again.
    package var cachedDeviceLifetime = Duration.seconds(60)

    /// Which attested keys are taken.
    package var keys: TrustedKeys {
        TrustedKeys(apps: appIDs, environments: environments, trustRoots: trustRoots)
    }

    // MARK: Not for an operator

    /// How long a claim waits for the first lane; also how long an idle worker may take to stop, and how long a suspect
    /// waits for the worker's other claims.
    ///
    /// A token that arrives meanwhile ends the wait, so a longer one would gain nothing.
    let claimWait = Duration.milliseconds(200)
    /// The pauses between retries while a server is away: everything goes on within 2 s of its return.
    let outageBackoff = Backoff(base: .milliseconds(50), cap: .milliseconds(500))
    /// How often lanes whose delay is over are looked for, which is how much too long a delay may be.
    let promoteInterval = Duration.milliseconds(250)
    /// How often a store that is away is asked whether it is back.
    let storePingInterval = Duration.milliseconds(250)

    /// How long a stopping worker tries to give back what it has in hand.
    ///
    /// The rest of ``stopLimit`` is for the services that stop after it, so that the program still ends in good order.
    package var giveBackLimit: Duration { stopLimit * 4 / 5 }

    /// Bundle bytes that all batches hold together; a bundle larger than a batch is a batch by itself.
    package var bytesInHandMax: Int { pipelines * max(batchBytesMax, inspection.bundleBytesMax) }

    /// Starts from the defaults.
    package init(appIDs: [AppID]) {
        self.appIDs = appIDs
    }
}
