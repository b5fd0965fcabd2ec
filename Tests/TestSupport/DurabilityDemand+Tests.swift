package import CaptureModel

extension DurabilityDemand {
    /// A demand with the numbers that the settings have by default.
    package init(
        level: DurabilityLevel, bundleStore: BundleStoreName = .redis, replicas: Int = 1,
        queueBytesMax: Int = 4 << 30, queueFieldBytesMax: Int = 100_000 * (24 << 10)
    ) {
        self.init(
            level: level, bundleStore: bundleStore, replicas: replicas, uploadBytesInFlightMax: 256 << 20,
            queueBytesMax: queueBytesMax, queueFieldBytesMax: queueFieldBytesMax)
    }
}
