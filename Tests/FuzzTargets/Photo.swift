import CaptureInspection

/// A structure that is found lies within the limits, and the picture without what is behind it is the same picture.
func fuzzJPEG(_ input: [UInt8]) throws(BrokenProperty) {
    let limits = JPEGLimits()
    let structure: JPEGStructure
    do throws(JPEGError) {
        structure = try JPEGWalker(limits: limits).walk(input.span)
    } catch {
        // Whoever is refused by the widest limits is refused by narrower ones.
        try property((try? JPEGWalker(limits: .narrow).walk(input.span)) == nil, "narrow limits take no more")
        return
    }
    try property(JPEGWalker.beginsAsJPEG(input.span), "a photo passes the gateway's check")
    try property(structure.width > 0 && structure.height > 0, "a photo has pixels")
    try property(structure.width * structure.height <= limits.pixelsMax, "pixels are bounded")
    try property((1...limits.scansMax).contains(structure.scans), "scans are bounded")
    try property((0...limits.metadataBytesMax).contains(structure.metadataBytes), "metadata are bounded")
    let trailing = structure.trailing
    try property((0...input.count).contains(trailing.bytes), "trailing bytes are the input's")
    try property((0...trailing.bytes).contains(trailing.foreignBytes), "foreign bytes are trailing ones")
    let picture = Array(input.dropLast(trailing.bytes))
    guard let alone = try? JPEGWalker(limits: limits).walk(picture.span) else {
        throw BrokenProperty(description: "the picture alone is a picture")
    }
    try property(alone.trailing.bytes == 0, "the picture ends where its trailing bytes start")
    try property(
        alone.width == structure.width && alone.height == structure.height && alone.scans == structure.scans,
        "the picture alone is the same picture")
}

extension JPEGLimits {
    /// Limits that a small picture meets or passes.
    fileprivate static let narrow = JPEGLimits(
        pixelsMax: 4096, segmentsMax: 8, scansMax: 2, metadataBytesMax: 1024, paddingBytesMax: 4)
}
