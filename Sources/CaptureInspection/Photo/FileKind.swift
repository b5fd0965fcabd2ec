/// A kind of file, told by its first bytes.
public enum FileKind: String, Sendable, CaseIterable {
    /// ZIP, and what is built on it.
    case zip
    /// A PDF document.
    case pdf
    /// A page or script for browsers and servers.
    case html
    /// MP4 or QuickTime, as motion photos append it.
    case mp4
    /// A PNG picture.
    case png
    /// Another JPEG.
    case jpeg
    /// A GIF picture.
    case gif
    /// RIFF: WebP, WAV, AVI.
    case riff
    /// A program for Linux or Windows.
    case program
    /// Zero bytes.
    case padding
    /// None of these.
    case unknown

    /// Looks at the first bytes of data.
    static func detect(_ data: Span<UInt8>) -> FileKind {
        let signatures: [(FileKind, Int, [UInt8])] = [
            (.zip, 0, [0x50, 0x4B, 0x03, 0x04]), (.zip, 0, [0x50, 0x4B, 0x05, 0x06]),
            (.pdf, 0, Array("%PDF-".utf8)), (.mp4, 4, Array("ftyp".utf8)),
            (.png, 0, [0x89, 0x50, 0x4E, 0x47]), (.jpeg, 0, [0xFF, 0xD8, 0xFF]),
            (.gif, 0, Array("GIF8".utf8)), (.riff, 0, Array("RIFF".utf8)),
            (.program, 0, [0x7F, 0x45, 0x4C, 0x46]), (.program, 0, Array("MZ".utf8)),
        ]
        for (kind, offset, signature) in signatures where data.hasBytes(signature, at: offset) {
            return kind
        }
        var start = 0
        while start < data.count, start < 64, data[start] <= 0x20, data[start] != 0 { start += 1 }
        if PolyglotMarks.isMarkup(data, at: start) { return .html }
        return data.count > 0 && data.isZero(0..<min(data.count, 16)) ? .padding : .unknown
    }
}
