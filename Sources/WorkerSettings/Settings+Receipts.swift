package import CaptureProcessing
package import CaptureSettings
import Waiting

extension Settings {
    /// Times and bounds of exchanging receipts.
    package func receiptConfiguration() throws(SettingsError) -> ReceiptRenewerConfiguration {
        var configuration = ReceiptRenewerConfiguration(
            keys: try workerConfiguration().keys, teamID: text(.appleTeamID) ?? "")
        configuration.roots = try receiptRoots()
        configuration.pollInterval = duration(.receiptsPollInterval)
        // The claim is still valid when an answer comes at the last moment.
        configuration.lease = duration(.appleTimeout) * 2 + .seconds(30)
        configuration.interval = duration(.receiptsInterval)
        configuration.backoff = Backoff(base: duration(.receiptsRetryBase), cap: duration(.receiptsRetryCap))
        configuration.alarmPause = duration(.receiptsAlarmPause)
        configuration.unknownPause = duration(.receiptsUnknownPause)
        return configuration
    }
}
