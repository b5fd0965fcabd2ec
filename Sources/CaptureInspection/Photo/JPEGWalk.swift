/// The state of one walk over one picture: its position and what it has read.
struct JPEGWalk {
    private let limits: JPEGLimits
    /// The place of the next byte; after the walk, the place after the end of image.
    private(set) var position: Int
    private(set) var frame: JPEGFrame?
    private(set) var scans = 0
    private(set) var metadataBytes = 0
    private(set) var multiPicture: MultiPictureIndex?
    private(set) var polyglot: PolyglotMarks = []
    private var tables = JPEGTables()
    private var segments = 0
    private var restartInterval = 0
    /// Indices of the components that already have coefficients.
    private var startedComponents = JPEGSlots()

    init(limits: JPEGLimits, start: Int) {
        self.limits = limits
        self.position = start
    }

    /// Walks from start of image to end of image.
    mutating func run(_ photo: Span<UInt8>) throws(JPEGError) {
        guard photo.hasBytes([0xFF, 0xD8], at: position) else {
            throw JPEGError(.noSignature, at: position, "the file does not start as a JPEG")
        }
        position += 2
        while true {
            let marker = try readMarker(photo)
            if marker == .endOfImage { break }
            try readSegment(marker, photo)
        }
        guard let frame, startedComponents.count == frame.components.count else {
            throw JPEGError(.malformed, at: position, "the picture ends before each component has a scan")
        }
    }

    /// Reads `FF`, any number of fill bytes `FF`, and the marker (section B.1.1.2).
    private mutating func readMarker(_ photo: Span<UInt8>) throws(JPEGError) -> JPEGMarker {
        guard position < photo.count else { throw truncated() }
        guard photo[position] == 0xFF else {
            throw JPEGError(.malformed, at: position, "a marker is missing")
        }
        while position < photo.count, photo[position] == 0xFF { position += 1 }
        guard position < photo.count else { throw truncated() }
        defer { position += 1 }
        return JPEGMarker(rawValue: photo[position])
    }

    private mutating func readSegment(_ marker: JPEGMarker, _ photo: Span<UInt8>) throws(JPEGError) {
        segments += 1
        guard segments <= limits.segmentsMax else { throw exceeded("more than \(limits.segmentsMax) segments") }
        if marker.isUnsupportedProcess, marker != .huffmanTables {
            throw JPEGError(.unsupported, at: position, "the coding process is not one of a camera's")
        }
        if marker.standsAlone { throw JPEGError(.malformed, at: position, "a marker is not allowed here") }
        let payload = try readLength(photo)
        position = payload.upperBound
        switch marker {
        case _ where marker.isSupportedFrame: try readFrame(marker, photo, payload)
        case .huffmanTables:
            try tables.defineHuffman(photo, payload)
            try countMetadata(photo, payload)
        case .quantizationTables:
            try tables.defineQuantization(photo, payload)
            try countMetadata(photo, payload)
        case .restartInterval:
            guard payload.count == 2 else {
                throw JPEGError(.malformed, at: position, "the restart interval is not readable")
            }
            restartInterval = photo.bigEndian16(at: payload.lowerBound)
        case .startOfScan: try readScan(photo, payload)
        case _ where marker.isMetadata: try readMetadata(marker, photo, payload)
        default: throw JPEGError(.malformed, at: position, "a marker is not allowed here")
        }
    }

    /// The payload of a segment, whose length includes its own two bytes (section B.1.1.4).
    private func readLength(_ photo: Span<UInt8>) throws(JPEGError) -> Range<Int> {
        guard position + 2 <= photo.count else { throw truncated() }
        let length = photo.bigEndian16(at: position)
        guard length >= 2 else { throw JPEGError(.malformed, at: position, "a segment is shorter than its length") }
        guard position + length <= photo.count else { throw truncated() }
        return position + 2..<position + length
    }

    private mutating func readFrame(
        _ marker: JPEGMarker, _ photo: Span<UInt8>, _ payload: Range<Int>
    ) throws(JPEGError) {
        guard self.frame == nil else { throw JPEGError(.malformed, at: position, "there is a second frame") }
        let frame = try JPEGFrame(marker, photo, payload)
        guard frame.width * frame.height <= limits.pixelsMax else {
            throw exceeded("more than \(limits.pixelsMax) pixels")
        }
        self.frame = frame
    }

    private mutating func readMetadata(
        _ marker: JPEGMarker, _ photo: Span<UInt8>, _ payload: Range<Int>
    ) throws(JPEGError) {
        try countMetadata(photo, payload)
        if marker == .multiPicture, multiPicture == nil {
            multiPicture = MultiPictureIndex(photo, payload)
        }
    }

    /// Counts the bytes of a segment that is searched for markup, and searches it: the limit bounds the search.
    private mutating func countMetadata(_ photo: Span<UInt8>, _ payload: Range<Int>) throws(JPEGError) {
        metadataBytes += payload.count
        guard metadataBytes <= limits.metadataBytesMax else {
            throw exceeded("more than \(limits.metadataBytesMax) bytes of metadata")
        }
        if PolyglotMarks.hasMarkup(photo, in: payload) { polyglot.insert(.markup) }
    }

    private mutating func readScan(_ photo: Span<UInt8>, _ payload: Range<Int>) throws(JPEGError) {
        guard let frame else { throw JPEGError(.malformed, at: position, "a scan comes before the frame") }
        scans += 1
        guard scans <= limits.scansMax else { throw exceeded("more than \(limits.scansMax) scans") }
        let scan = try JPEGScan(photo, payload, frame: frame, tables: tables)
        let start = position
        try skipEntropyCoded(photo)
        guard (position - start) * 8 >= max(1, scan.bitsMin) else {
            throw JPEGError(.truncated, at: position, "a scan has too few bytes for the picture's size")
        }
        if scan.startsComponents { for component in scan.components { startedComponents.insert(component) } }
    }

    /// Moves to the marker that ends the entropy-coded data.
    ///
    /// In these data `FF 00` is a byte of data, and restart markers come in turn, 0 to 7 (sections B.1.1.5 and
    /// F.1.2.3).
    private mutating func skipEntropyCoded(_ photo: Span<UInt8>) throws(JPEGError) {
        var restart: UInt8 = 0
        while let found = photo.firstIndex(of: 0xFF, in: position..<photo.count) {
            var next = found + 1
            while next < photo.count, photo[next] == 0xFF { next += 1 }
            guard next < photo.count else { break }
            if photo[next] == 0 {
                position = next + 1
            } else if JPEGMarker(rawValue: photo[next]).isRestart {
                guard restartInterval > 0, photo[next] == 0xD0 + restart else {
                    throw JPEGError(.malformed, at: found, "a restart marker is out of turn")
                }
                restart = (restart + 1) % 8
                position = next + 1
            } else {
                position = found
                return
            }
        }
        throw JPEGError(.truncated, at: photo.count, "the file ends within a scan")
    }

    private func truncated() -> JPEGError {
        JPEGError(.truncated, at: position, "the file ends before the end of image")
    }

    private func exceeded(_ message: String) -> JPEGError {
        JPEGError(.limitExceeded, at: position, message)
    }
}
