package import CaptureModel
package import Logging
package import Rollout

extension Settings {
    /// Makes the service that keeps the rollouts up to date with their file; without a file nothing is judged.
    ///
    /// - Throws: ``SettingsError`` for a file that cannot be read or is no valid policy: at the start there is no
    ///   earlier one.
    package func rolloutFile(now: @escaping TimeSource, logger: Logger) async throws(SettingsError) -> RolloutFile {
        let path = text(.rolloutFile)
        let known = try appIDs()
        do throws(RolloutFault) {
            return try await RolloutFile(
                path: path, known: known, interval: duration(.rolloutInterval), now: now, logger: logger)
        } catch {
            throw SettingsError("rollout.file: \(path ?? ""): \(error)")
        }
    }
}
