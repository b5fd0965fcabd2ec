/// Reads a `multipart/form-data` body (RFC 7578, RFC 2046) chunk by chunk, in constant memory.
///
/// The parser keeps at most one part's headers, and how much of a boundary the last chunk ended with. Content is
/// returned as offsets of the caller's chunk, so nothing is copied. The parser is strict: it refuses anything that two
/// readers could read differently (bare line feeds, a boundary followed by other text, headers or parameters given
/// twice).
///
/// ```swift
/// var parser = MultipartParser(boundary: try MultipartBoundary(contentType: header))
/// for try await chunk in body {
///     var position = 0
///     while let event = try parser.next(in: chunk.readableBytesUInt8Span, at: &position) {
///         switch event {
///         case .partBegin(let part): open(part)
///         case .bytes(let range): write(chunk.getSlice(at: chunk.readerIndex + range.lowerBound, length: range.count))
///         case .carried(let bytes): write(bytes)
///         case .partEnd: close()
///         case .end: break
///         }
///     }
/// }
/// try parser.finish()
/// ```
///
/// After an error the parser has ended: every later call throws the same error.
package struct MultipartParser: Sendable {
    /// The parser's place in the body.
    private enum State {
        /// Before the first boundary.
        case preamble
        /// After a boundary: padding and a line end, or the hyphens of the last boundary.
        case afterDelimiter(AfterDelimiter)
        /// Among a part's header lines.
        case headers
        /// In a part's content.
        case content
        /// After the last boundary, on its line.
        case closing(sawCarriageReturn: Bool)
        /// After the last boundary's line.
        case epilogue
        /// Ended by an error.
        case failed(MultipartError)
    }

    /// What followed a boundary so far.
    private enum AfterDelimiter {
        case nothing, padding, hyphen, carriageReturn
    }

    private let limits: MultipartLimits
    private var scanner: DelimiterScanner
    private var state = State.preamble
    private var headers: PartHeaders
    private var partCount = 0
    /// Bytes of preamble, of one delimiter's padding or of the epilogue so far.
    private var surroundingBytes = 0

    /// Makes a parser for one body.
    package init(boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        self.limits = limits
        self.scanner = DelimiterScanner(boundary)
        self.headers = PartHeaders(limits: limits)
    }

    /// Returns the next event of a chunk, or `nil` when the next chunk is needed.
    ///
    /// - Parameters:
    ///   - chunk: The bytes that follow the previous chunk; the same chunk until `nil` is returned.
    ///   - position: 0 for a new chunk; the parser moves it forward.
    /// - Throws: The error that makes the body unreadable; see ``MultipartError/Code``.
    package mutating func next(in chunk: Span<UInt8>, at position: inout Int) throws(MultipartError) -> MultipartEvent?
    {
        do throws(MultipartError) {
            while position < chunk.count {
                if let event = try step(chunk, &position) { return event }
            }
            return nil
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Tells the parser that the body has ended.
    ///
    /// - Throws: `unexpectedEnd` unless the last boundary was found, or the error that was thrown before.
    package func finish() throws(MultipartError) {
        switch state {
        case .closing(sawCarriageReturn: false), .epilogue: return
        case .failed(let error): throw error
        default: throw MultipartError(.unexpectedEnd, "the body ended before its last boundary")
        }
    }

    // MARK: Steps. Each takes in at least one byte or gives an event.

    private mutating func step(_ chunk: Span<UInt8>, _ position: inout Int) throws(MultipartError) -> MultipartEvent? {
        switch state {
        case .preamble: return try skipPreamble(chunk, &position)
        case .content: return readContent(chunk, &position)
        case .afterDelimiter(let seen): return try readAfterDelimiter(seen, take(chunk, &position))
        case .headers: return try readHeaders(take(chunk, &position))
        case .closing(let sawCarriageReturn):
            try readClosing(sawCarriageReturn, take(chunk, &position))
            return nil
        case .epilogue:
            try skip(chunk.count - position)
            position = chunk.count
            return nil
        case .failed(let error): throw error
        }
    }

    private func take(_ chunk: Span<UInt8>, _ position: inout Int) -> UInt8 {
        defer { position += 1 }
        return chunk[position]
    }

    private mutating func skipPreamble(
        _ chunk: Span<UInt8>, _ position: inout Int
    ) throws(MultipartError) -> MultipartEvent? {
        switch scanner.advance(chunk, &position) {
        case .delimiter: enterAfterDelimiter()
        case .content(let range): try skip(range.count)
        case .carried(let bytes): try skip(bytes.count)
        case .more: break
        }
        return nil
    }

    private mutating func readContent(_ chunk: Span<UInt8>, _ position: inout Int) -> MultipartEvent? {
        switch scanner.advance(chunk, &position) {
        case .delimiter:
            enterAfterDelimiter()
            return .partEnd
        case .content(let range): return .bytes(range)
        case .carried(let bytes): return .carried(bytes)
        case .more: return nil
        }
    }

    private mutating func enterAfterDelimiter() {
        state = .afterDelimiter(.nothing)
        surroundingBytes = 0
    }

    private mutating func readAfterDelimiter(
        _ seen: AfterDelimiter, _ byte: UInt8
    ) throws(MultipartError) -> MultipartEvent? {
        switch (seen, byte) {
        case (.nothing, UInt8(ascii: "-")):
            state = .afterDelimiter(.hyphen)
        case (.hyphen, UInt8(ascii: "-")):
            state = .closing(sawCarriageReturn: false)
            surroundingBytes = 0
            return .end
        case (.nothing, _) where HeaderReader.isBlank(byte), (.padding, _) where HeaderReader.isBlank(byte):
            try skip(1)
            state = .afterDelimiter(.padding)
        case (.nothing, 0x0D), (.padding, 0x0D):
            state = .afterDelimiter(.carriageReturn)
        case (.carriageReturn, 0x0A):
            partCount += 1
            guard partCount <= limits.partsMax else {
                throw MultipartError(.tooManyParts, "the body has more than \(limits.partsMax) parts")
            }
            state = .headers
        default:
            throw MultipartError(.malformedDelimiter, "a boundary is followed by something else on its line")
        }
        return nil
    }

    private mutating func readHeaders(_ byte: UInt8) throws(MultipartError) -> MultipartEvent? {
        guard let part = try headers.append(byte) else { return nil }
        state = .content
        scanner.restart()
        return .partBegin(part)
    }

    private mutating func readClosing(_ sawCarriageReturn: Bool, _ byte: UInt8) throws(MultipartError) {
        try skip(1)
        switch (sawCarriageReturn, byte) {
        case (false, 0x0D): state = .closing(sawCarriageReturn: true)
        case (true, 0x0A): state = .epilogue
        case (false, _) where HeaderReader.isBlank(byte): break
        default: throw MultipartError(.malformedDelimiter, "the last boundary is followed by something else")
        }
    }

    private mutating func skip(_ count: Int) throws(MultipartError) {
        surroundingBytes += count
        guard surroundingBytes <= limits.surroundingBytesMax else {
            throw MultipartError(
                .surroundingsTooLarge, "more than \(limits.surroundingBytesMax) bytes outside the parts"
            )
        }
    }
}
