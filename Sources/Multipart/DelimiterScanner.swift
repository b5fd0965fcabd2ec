import Glibc

/// Separates a part's content from the delimiter that ends it.
///
/// The delimiter is CR LF, two hyphens and the boundary (RFC 2046 section 5.1.1). Only its first byte is a carriage
/// return, so a failed match never hides the start of another one, and all matched bytes are content.
struct DelimiterScanner {
    /// The kind of the next bytes.
    enum Finding {
        /// The delimiter; the position is after it.
        case delimiter
        /// Content at these offsets of the chunk; never empty.
        case content(Range<Int>)
        /// Content from the end of earlier chunks; never empty.
        case carried(ArraySlice<UInt8>)
        /// Undecided: the chunk ends too early.
        case more
    }

    private let delimiter: [UInt8]
    /// How many bytes before the position match the start of the delimiter.
    private var matched = 0
    /// How many of the matched bytes are no content: the line end that ``restart()`` assumes.
    private var matchedOutside = 0

    init(_ boundary: MultipartBoundary) {
        self.delimiter = Array("\r\n--\(boundary.text)".utf8)
        restart()
    }

    /// Starts at the start of a line, and counts the line end before it as part of the delimiter.
    ///
    /// So the first boundary needs no line end before it, and the empty line that ends the headers may also begin the
    /// delimiter of a part without content: `body-part := MIME-part-headers [CRLF *OCTET]`.
    mutating func restart() {
        matched = 2
        matchedOutside = 2
    }

    /// Finds the kind of the bytes at the position, and moves the position past them.
    ///
    /// The position must be inside the chunk.
    mutating func advance(_ chunk: Span<UInt8>, _ position: inout Int) -> Finding {
        while position < chunk.count {
            if matched > 0 {
                while position < chunk.count, matched < delimiter.count, chunk[position] == delimiter[matched] {
                    position += 1
                    matched += 1
                }
                if matched < delimiter.count, position == chunk.count { return .more }
                let content = delimiter[matchedOutside..<matched]
                let isWhole = matched == delimiter.count
                matched = 0
                matchedOutside = 0
                if isWhole { return .delimiter }
                if !content.isEmpty { return .carried(content) }
            }
            let contentEnd = candidate(in: chunk, from: position) ?? chunk.count
            if contentEnd > position {
                defer { position = contentEnd }
                return .content(position..<contentEnd)
            }
            // The delimiter starts here, at least as far as the chunk shows.
            matched = 1
            position += 1
        }
        return .more
    }

    /// The first place where the delimiter, or its start at the chunk's end, may be; as fast as `memchr`.
    private func candidate(in chunk: Span<UInt8>, from start: Int) -> Int? {
        unsafe chunk.withUnsafeBytes { chunk in
            unsafe delimiter.withUnsafeBytes { delimiter in
                guard let base = chunk.baseAddress, let pattern = delimiter.baseAddress else { return nil }
                var position = start
                while position < chunk.count {
                    guard let hit = unsafe memchr(base + position, 0x0D, chunk.count - position) else { return nil }
                    let found = unsafe UnsafeRawPointer(hit) - base
                    let length = min(chunk.count - found, delimiter.count)
                    if unsafe memcmp(base + found, pattern, length) == 0 { return found }
                    position = found + 1
                }
                return nil
            }
        }
    }
}
