/// The second byte of a marker (ITU T.81 table B.1).
struct JPEGMarker: RawRepresentable, Hashable {
    let rawValue: UInt8

    static let endOfImage = JPEGMarker(rawValue: 0xD9)
    static let startOfScan = JPEGMarker(rawValue: 0xDA)
    static let quantizationTables = JPEGMarker(rawValue: 0xDB)
    static let restartInterval = JPEGMarker(rawValue: 0xDD)
    static let huffmanTables = JPEGMarker(rawValue: 0xC4)
    static let multiPicture = JPEGMarker(rawValue: 0xE2)

    /// SOF0, SOF1 and SOF2: what cameras write.
    var isSupportedFrame: Bool { (0xC0...0xC2).contains(rawValue) }

    /// Lossless, differential and arithmetic frames, DAC, DHP and EXP.
    var isUnsupportedProcess: Bool {
        switch rawValue {
        case 0xC3, 0xC5...0xCF, 0xDE, 0xDF: true
        default: false
        }
    }

    /// Start and end of image, restarts, TEM and the stuffed zero: markers without a length (section B.1.1.3).
    var standsAlone: Bool { (0xD0...0xD9).contains(rawValue) || rawValue <= 0x01 }

    var isRestart: Bool { (0xD0...0xD7).contains(rawValue) }

    /// APPn and COM, which decoders skip.
    var isMetadata: Bool { (0xE0...0xEF).contains(rawValue) || rawValue == 0xFE }
}
