package import CaptureModel
package import Logging
package import Rollout

extension Settings {
    /// What keeps the rollouts of apps up to their file; where none is configured nothing is judged.
    ///
    /// - Throws: ``SettingsError`` for a file that cannot be read or is no policy: at the start there is none to keep.
    package func rolloutFile(now: @escaping TimeSource, logger: Logger) throws(SettingsError) -> RolloutFile {
        let path = text(.rolloutFile)
        let known = try appIDs()
        do throws(RolloutFault) {
            return try RolloutFile(
                path: path, known: known, interval: duration(.rolloutInterval), now: now, logger: logger)
        } catch {
            throw SettingsError("rollout.file: \(path ?? ""): \(error)")
        }
    }
}
