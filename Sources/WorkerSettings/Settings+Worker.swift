import AppAttest
import CaptureModel
package import CaptureProcessing
package import CaptureSettings
import MultiBufferSHA256
import Waiting

extension Settings {
    /// The configuration of a worker.
    package func workerConfiguration() throws(SettingsError) -> WorkerConfiguration {
        var configuration = WorkerConfiguration(appIDs: try appIDs())
        configuration.environments = try environments()
        configuration.trustRoots = Set(try trustRoots().map(\.sha256))
        configuration.bindings = try bindings()
        configuration.counterPolicy = counterPolicy
        configuration.inspection = inspectionLimits
        configuration.riskWarning = text(.receiptsRiskWarning).flatMap { Int($0) }
        configuration.concurrency = integer(.workerConcurrency)
        configuration.pipelines = integer(.workerPipelines)
        configuration.linger = duration(.workerLinger)
        configuration.hashing = choice(.workerHashing) == Parallelism.scalar ? .one : .fastest
        configuration.provesSignaturesTogether = choice(.workerSignatures) != Parallelism.scalar
        configuration.claimLanesMax = integer(.workerClaimLanesMax)
        configuration.capturesPerLaneMax = integer(.workerCapturesPerLaneMax)
        configuration.batchBytesMax = bytes(.workerBatchBytesMax)
        configuration.batchCapturesMax = integer(.workerBatchCapturesMax)
        configuration.attemptsMax = integer(.workerAttemptsMax)
        configuration.retryBackoff = Backoff(base: duration(.workerRetryBase), cap: duration(.workerRetryCap))
        configuration.outageHold = duration(.workerOutageHold)
        configuration.stopLimit = stopLimit
        configuration.cachedDevicesMax = integer(.workerCachedDevicesMax)
        configuration.cachedDeviceLifetime = duration(.workerCachedDeviceLifetime)
        // Often enough that the search for lost lanes adds little to the lease.
        configuration.takeOverInterval = min(.seconds(1), duration(.queueLease) / 16)
        return configuration
    }

    /// The limits at which a worker ends itself.
    ///
    /// - Throws: ``SettingsError`` for a memory limit that the batches in flight alone would reach.
    package func watchdogLimits() throws(SettingsError) -> Watchdog.Limits {
        let batches = try workerConfiguration().bytesInHandMax
        guard bytes(.workerMemoryMax) >= 2 * batches else {
            throw SettingsError(
                "worker.memoryMax: less than twice the \(batches >> 20) MiB of worker.pipelines × "
                    + "worker.batchBytesMax, or of as many largest bundles (capture.photoBytesMax and "
                    + "capture.depthBytesMax)"
            )
        }
        return Watchdog.Limits(jobDeadline: duration(.workerJobDeadline), memoryMax: bytes(.workerMemoryMax))
    }

    /// How long the readiness check of a worker waits for each server.
    package var workerReadinessTimeout: Duration { duration(.workerReadinessTimeout) }

    /// Where a worker shows health and metrics; port 0 is a free one.
    package var workerMetricsAddress: (host: String, port: Int) {
        (required(.workerMetricsHost), integer(.workerMetricsPort))
    }
}
