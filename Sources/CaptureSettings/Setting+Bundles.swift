import CaptureModel

extension Setting {
    // MARK: Bundles

    private static let bundlesThreadsMax = 64

    package static let bundlesStore = Setting(
        "bundles.store", .choice([BundleStoreName.redis.rawValue, BundleStoreName.filesystem.rawValue]), "redis",
        "Where the bytes of new captures go; those of queued ones are fetched from where they are."
    )
    package static let bundlesDirectory = Setting(
        "bundles.directory", .text, nil,
        "The directory of the store filesystem, shared by all gateways and workers; capturectl migrate prepares it."
    )
    package static let bundlesThreads = Setting(
        "bundles.threads", .integer(1...bundlesThreadsMax), "8",
        "Files that one program reads and writes at once in the directory."
    )
    /// At the least every thread may have a call.
    package static let bundlesBacklogMax = Setting(
        "bundles.backlogMax", .integer(bundlesThreadsMax...100_000), "1024",
        "Calls on the directory that run or wait in one program; then 503, or another try by the worker."
    )
    package static let bundlesTimeout = Setting(
        "bundles.timeout", .duration(.milliseconds(100) ... .seconds(120)), "10s",
        "How long the directory may take for one capture; then 503, or another try by the worker."
    )
    package static let bundlesOrphanAge = Setting(
        "bundles.orphanAge", .duration(.seconds(60) ... .seconds(2_592_000)), "15m",
        "How long bytes lie before those of no capture, or of a settled one, are removed: longer than any upload takes."
    )
    package static let bundlesUnknownAge = Setting(
        "bundles.unknownAge", .duration(.seconds(60) ... .seconds(31_536_000)), "7d",
        "How long bytes lie, without a ledger, once nobody knows their capture: longer than Redis may be without its data."
    )

    /// The settings of the captures' bytes.
    static let bundles = [
        bundlesStore, bundlesDirectory, bundlesThreads, bundlesBacklogMax, bundlesTimeout, bundlesOrphanAge,
        bundlesUnknownAge,
    ]
}
