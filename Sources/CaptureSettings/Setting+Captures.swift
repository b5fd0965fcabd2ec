import CaptureModel

extension Setting {
    // MARK: Captures

    package static let bindings = Setting(
        "capture.bindings", .list, "concat-v1,framed-v2", "Signature bindings that are accepted."
    )
    package static let counterPolicy = Setting(
        "capture.counterPolicy",
        .form("strict or window(n), n from 1 to 65536") { CounterPolicy($0) != nil }, "strict",
        "When a capture's counter is good, strictly or within a window of the n up to and including the highest; "
            + "those of requests always rise."
    )
    package static let photoBytesMax = Setting(
        "capture.photoBytesMax", .bytes(1024...(64 << 20)), "10MiB", "The largest photo."
    )
    package static let depthBytesMax = Setting(
        "capture.depthBytesMax", .bytes(1024...(64 << 20)), "5MiB",
        "The largest depth map as uploaded; a raw one has four bytes for each value."
    )
    package static let assertionBytesMax = Setting(
        "capture.assertionBytesMax", .bytes(1024...(16 << 10)), "8KiB", "The largest assertion as uploaded."
    )
    package static let metadataBytesMax = Setting(
        "capture.metadataBytesMax", .bytes(1024...(64 << 10)), "16KiB",
        "The largest metadata, at the gateway (413) and for the worker (METADATA_MALFORMED)."
    )
    package static let photoPixelsMax = Setting(
        "capture.photoPixelsMax", .integer(1_000_000...1_000_000_000), "64000000",
        "The largest photo in pixels, width times height."
    )
    package static let photoSegmentsMax = Setting(
        "capture.photoSegmentsMax", .integer(16...65_536), "1024", "The most segments of a photo's JPEG."
    )
    package static let photoScansMax = Setting(
        "capture.photoScansMax", .integer(1...1024), "64",
        "The most scans of a photo's JPEG; a progressive one has about ten."
    )
    package static let photoMetadataBytesMax = Setting(
        "capture.photoMetadataBytesMax", .bytes((64 << 10)...(64 << 20)), "4MiB",
        "The most bytes of a photo that are no picture (APPn, COM and table segments)."
    )
    package static let measuredPercentMin = Setting(
        "capture.measuredPercentMin", .integer(0...100), "50",
        "Percent of a depth map's values that must be measurements; with fewer it is missing evidence."
    )
    package static let captureAgeMax = Setting(
        "capture.ageMax", .duration(.seconds(60) ... .seconds(31_536_000)), "24h",
        "How long after it was taken a capture may arrive without a warning; phones keep them while they are offline."
    )
    package static let captureLeadMax = Setting(
        "capture.leadMax", .duration(.zero ... .seconds(86_400)), "5m",
        "How far a phone's clock may be ahead without a warning."
    )

    /// The settings of a capture's limits.
    static let captures = [
        bindings, counterPolicy, photoBytesMax, depthBytesMax, assertionBytesMax, metadataBytesMax, photoPixelsMax,
        photoSegmentsMax, photoScansMax, photoMetadataBytesMax, measuredPercentMin, captureAgeMax, captureLeadMax,
    ]
}
