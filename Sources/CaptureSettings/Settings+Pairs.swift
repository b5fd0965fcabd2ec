extension Settings {
    /// Refuses a first retry time above the longest one, even when one of the two is a default.
    ///
    /// Otherwise all retries would be over after a few of the shorter times.
    func requirePairs() throws(SettingsError) {
        let times: [(Setting, most: Setting)] = [
            (.workerRetryBase, .workerRetryCap), (.receiptsRetryBase, .receiptsRetryCap),
        ]
        for (setting, most) in times where duration(setting) > duration(most) {
            throw Self.refusal(of: setting, beyond: most, SettingDuration.write(duration(most)))
        }
    }

    private static func refusal(of setting: Setting, beyond most: Setting, _ value: String) -> SettingsError {
        let standard = setting.standard.map { " (when not set it is \($0))" } ?? ""
        return SettingsError("\(setting.key): takes at most \(value), which is \(most.key)\(standard)")
    }
}
