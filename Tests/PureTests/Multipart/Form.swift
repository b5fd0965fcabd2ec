import Multipart

/// A part as the parser gave it.
struct ParsedPart: Equatable {
    var part: MultipartPart
    var content: [UInt8] = []
    var isClosed = false
}

/// Bodies, and what the parser makes of them.
enum Form {
    /// What a parser that keeps its promises never does.
    enum Fault: Error {
        case chunkLeftOver, notClosed
    }

    /// Runs a body through a parser in pieces of the given sizes (the last size goes on to the end).
    static func parse(
        _ body: [UInt8], boundary: String = "frontier", sizes: [Int] = [.max], limits: MultipartLimits = .init()
    ) throws -> [ParsedPart] {
        var parser = MultipartParser(boundary: try MultipartBoundary(text: boundary), limits: limits)
        var parts: [ParsedPart] = []
        var ends = 0
        var start = 0
        var number = 0
        while start < body.count {
            let size = max(1, sizes[min(number, sizes.count - 1)])
            let chunk = Array(body[start..<(size < body.count - start ? start + size : body.count)])
            var position = 0
            while let event = try parser.next(in: chunk.span, at: &position) {
                switch event {
                case .partBegin(let part): parts.append(ParsedPart(part: part))
                case .bytes(let range): parts[parts.count - 1].content += chunk[range]
                case .carried(let bytes): parts[parts.count - 1].content += bytes
                case .partEnd: parts[parts.count - 1].isClosed = true
                case .end: ends += 1
                }
            }
            guard position == chunk.count else { throw Fault.chunkLeftOver }
            start += chunk.count
            number += 1
        }
        try parser.finish()
        guard ends == 1, parts.allSatisfy(\.isClosed) else { throw Fault.notClosed }
        return parts
    }

    /// The code that a body is refused with; `nil` when it is taken.
    static func refusal(
        _ body: String, sizes: [Int] = [.max], limits: MultipartLimits = .init()
    ) -> MultipartError.Code? {
        do {
            _ = try parse(Array(body.utf8), sizes: sizes, limits: limits)
            return nil
        } catch let error as MultipartError {
            return error.code
        } catch {
            return nil
        }
    }

    /// One part as a body has it.
    static func part(_ name: String, _ content: String, headers: String = "") -> String {
        "--frontier\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\(headers)\r\n\(content)\r\n"
    }
}
