import CaptureModel

extension Settings {
    /// Refuses values that no program could work with, though each is within its setting's range.
    ///
    /// Files that settings name are not read here, and what only some programs need is not asked for, such as app ids.
    func validate(for program: ProgramName) throws(SettingsError) {
        try requirePostgresAddress()
        try requirePairs()
        try requirePartitions()
        try requireRoomInQueue()
        try requireRoomForBundles()
        try requireBundleDirectory()
        try requireAgeOfOrphans()
        // `capturectl` and the migration share the settings of gateways and workers, and do not get the key.
        if ProgramName.servers.contains(program) { try requireKeyForRisk() }
    }
}
