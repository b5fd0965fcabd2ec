extension Settings {
    /// Refuses two settings of which one has no meaning beyond the other, whichever of them is at its default.
    func requirePairs() throws(SettingsError) {
        let times: [(Setting, most: Setting)] = [
            (.workerRetryBase, .workerRetryCap), (.receiptsRetryBase, .receiptsRetryCap),
            (.gatewayUploadIdleTimeout, .gatewayUploadTimeout),
        ]
        for (setting, most) in times where duration(setting) > duration(most) {
            throw Self.refusal(of: setting, beyond: most, DurationText.write(duration(most)))
        }
        // Streams would be all that a gateway has connections for.
        guard integer(.gatewayEventStreamsMax) <= integer(.gatewayConnectionsMax) else {
            throw Self.refusal(
                of: .gatewayEventStreamsMax, beyond: .gatewayConnectionsMax, "\(integer(.gatewayConnectionsMax))")
        }
    }

    private static func refusal(of setting: Setting, beyond most: Setting, _ value: String) -> SettingsError {
        let standard = setting.standard.map { " (when not set it is \($0))" } ?? ""
        return SettingsError("\(setting.key): takes at most \(value), which is \(most.key)\(standard)")
    }
}
