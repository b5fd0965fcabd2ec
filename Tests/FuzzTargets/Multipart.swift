import Multipart

/// However a body is cut into chunks, it has the same parts or is refused for the same reason.
///
/// The first line is the `Content-Type`; where it names no boundary, the boundary is `frontier`.
func fuzzMultipart(_ input: [UInt8]) throws(BrokenProperty) {
    let lineEnd = input.firstIndex(of: 0x0A) ?? input.endIndex
    guard
        let boundary = (try? MultipartBoundary(contentType: String(decoding: input[..<lineEnd], as: UTF8.self)))
            ?? (try? MultipartBoundary(text: "frontier"))
    else { throw BrokenProperty(description: "frontier is a boundary") }
    let body = Array(input[min(lineEnd + 1, input.endIndex)...])
    var pieces = Pieces(of: input)
    let whole = try FormReading(boundary, [body])
    let cut = try FormReading(boundary, pieces.cut(body))
    let single = try FormReading(boundary, body.map { [$0] })
    try property(whole == cut, "pieces give what the whole body gives")
    try property(whole == single, "single bytes give what the whole body gives")
}

/// What a parser made of a body.
private struct FormReading: Equatable {
    struct Part: Equatable {
        let header: MultipartPart
        var content: [UInt8] = []
        var isClosed = false
    }

    private(set) var parts: [Part] = []
    private(set) var isOver = false
    private(set) var refusal: MultipartError.Code?

    init(_ boundary: MultipartBoundary, _ chunks: [[UInt8]]) throws(BrokenProperty) {
        var parser = MultipartParser(boundary: boundary)
        for chunk in chunks where refusal == nil { try read(chunk, &parser) }
        try property(parts.count <= MultipartLimits().partsMax, "the parts are bounded")
        do throws(MultipartError) {
            try parser.finish()
        } catch {
            try property(refusal == nil || refusal == error.code, "a refusal stays the same")
            refusal = error.code
            return
        }
        try property(refusal == nil, "a refused body stays refused")
        try property(isOver, "a body that is taken has its last boundary")
        try property(parts.allSatisfy(\.isClosed), "a body that is taken has no open part")
    }

    private mutating func read(_ chunk: [UInt8], _ parser: inout MultipartParser) throws(BrokenProperty) {
        var position = 0
        while true {
            let event: MultipartEvent?
            do throws(MultipartError) {
                event = try parser.next(in: chunk.span, at: &position)
            } catch {
                refusal = error.code
                return
            }
            guard let event else { break }
            try take(event, of: chunk)
        }
        try property(position == chunk.count, "a chunk is read to its end")
    }

    private mutating func take(_ event: MultipartEvent, of chunk: [UInt8]) throws(BrokenProperty) {
        switch event {
        case .partBegin(let header):
            try property(!isOver && parts.last?.isClosed ?? true, "a part begins after the one before has ended")
            parts.append(Part(header: header))
        case .bytes(let range):
            try property(!range.isEmpty && chunk.indices.contains(range.lowerBound), "content lies in its chunk")
            try append(chunk[range])
        case .carried(let bytes):
            try property((1...74).contains(bytes.count), "what is carried over is part of a delimiter")
            try append(bytes)
        case .partEnd:
            try append([])
            parts[parts.count - 1].isClosed = true
        case .end:
            try property(!isOver && parts.last?.isClosed ?? true, "there is one end, after the last part's")
            isOver = true
        }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(BrokenProperty) {
        try property(parts.last?.isClosed == false, "content belongs to an open part")
        parts[parts.count - 1].content += bytes
    }
}
