public import CaptureModel

extension Settings {
    /// What a 202 rests on.
    public var durability: DurabilityLevel {
        text(.queueDurability).flatMap { DurabilityLevel(rawValue: $0) } ?? .ledger
    }

    /// What the servers' settings are held to.
    public var durabilityDemand: DurabilityDemand {
        DurabilityDemand(
            level: durability, bundleStore: bundleStore, replicas: integer(.queueReplicas),
            bundleBytesMax: bytes(.gatewayUploadBytesInFlightMax)
        )
    }

    /// Where the bytes of new captures go.
    public var bundleStore: BundleStoreName {
        text(.bundlesStore).flatMap { BundleStoreName($0) } ?? .redis
    }
}
