#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells a part's content from the delimiter that ends it: CR LF, two hyphens and the boundary
/// (RFC 2046 section 5.1.1).
///
/// A carriage return is only the delimiter's first byte, so a match that fails never hides the start of another one,
/// and everything that was matched so far is content.
struct DelimiterScanner {
    /// What the next bytes are.
    enum Finding {
        /// The delimiter; the position is behind it.
        case delimiter
        /// Content at these offsets of the chunk; never empty.
        case content(Range<Int>)
        /// Content that earlier chunks ended with; never empty.
        case carried(ArraySlice<UInt8>)
        /// The chunk ends before that can be told.
        case more
    }

    private let delimiter: [UInt8]
    /// How many of the delimiter's bytes the bytes before the position are.
    private var matched = 0
    /// How many of these are not the content's own.
    private var matchedOutside = 0

    init(_ boundary: MultipartBoundary) {
        self.delimiter = Array("\r\n--\(boundary.text)".utf8)
        restart()
    }

    /// Starts where a line starts, with the line end that is before it counted as the delimiter's.
    ///
    /// So the first boundary needs no line end before it, and a part without content may end with the empty line that
    /// ends its headers: `body-part := MIME-part-headers [CRLF *OCTET]`.
    mutating func restart() {
        matched = 2
        matchedOutside = 2
    }

    /// Says what comes at the position, and moves behind it.
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
            // The delimiter, or as much of it as the chunk still has, is right here.
            matched = 1
            position += 1
        }
        return .more
    }

    /// The first place where the delimiter is, or where the chunk ends with the start of it; as fast as `memchr`.
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
