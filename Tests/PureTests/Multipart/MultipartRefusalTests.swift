import DeviceSimulator
import Multipart
import Testing

@Suite struct MultipartRefusalTests {
    static let disposition = "Content-Disposition: form-data; name=a\r\n"

    @Test(arguments: [
        ("", MultipartError.Code.unexpectedEnd),
        ("no boundary at all", .unexpectedEnd),
        ("--frontier", .unexpectedEnd),
        ("--frontier-", .unexpectedEnd),
        ("--frontier\r\n\(disposition)\r\ncontent", .unexpectedEnd),
        ("--frontier--\r", .unexpectedEnd),
        ("--frontierX\r\n\(disposition)\r\n\r\n--frontier--", .malformedDelimiter),
        ("--frontier\n\(disposition)\r\n\r\n--frontier--", .malformedDelimiter),
        ("--frontier -\r\n\(disposition)\r\n\r\n--frontier--", .malformedDelimiter),
        ("--frontier-x", .malformedDelimiter),
        ("--frontier--x", .malformedDelimiter),
        ("--frontier--\rx", .malformedDelimiter),
        ("--frontier\r\nContent-Disposition: form-data; name=a\n\r\n\r\n--frontier--", .malformedHeader),
        ("--frontier\r\nContent-Disposition: form-data;\rname=a\r\n\r\n\r\n--frontier--", .malformedHeader),
        ("--frontier\r\nContent-Disposition: form-data;\r\n name=a\r\n\r\n\r\n--frontier--", .malformedHeader),
        ("--frontier\r\nContent-Disposition : form-data; name=a\r\n\r\n\r\n--frontier--", .malformedHeader),
        ("--frontier\r\nno colon\r\n\r\n\r\n--frontier--", .malformedHeader),
        ("--frontier\r\n\(disposition)X: \u{1}\r\n\r\n\r\n--frontier--", .malformedHeader),
        ("--frontier\r\n\r\nx\r\n--frontier--", .malformedDisposition),
        ("--frontier\r\nContent-Type: a/b\r\n\r\nx\r\n--frontier--", .malformedDisposition),
        ("--frontier\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--frontier--", .malformedDisposition),
        ("--frontier\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--frontier--", .malformedDisposition),
        ("--frontier\r\nContent-Disposition: form-data; name=\r\n\r\nx\r\n--frontier--", .malformedDisposition),
        ("--frontier\r\nContent-Disposition: form-data; name=a b\r\n\r\nx\r\n--frontier--", .malformedDisposition),
        ("--frontier\r\nContent-Disposition: form-data\r\n\r\nx\r\n--frontier--", .missingName),
        ("--frontier\r\nContent-Disposition: form-data; name=\"\"\r\n\r\nx\r\n--frontier--", .missingName),
        ("--frontier\r\nContent-Disposition: form-data; name=a; NAME=b\r\n\r\nx\r\n--frontier--", .duplicate),
        ("--frontier\r\n\(disposition)\(disposition)\r\nx\r\n--frontier--", .duplicate),
        (
            "--frontier\r\n\(disposition)Content-Transfer-Encoding: base64\r\n\r\nx\r\n--frontier--",
            .unsupportedEncoding
        ),
    ])
    func `what two readers could take differently is refused`(body: String, code: MultipartError.Code) {
        for size in [1, 2, 3, 7, Int.max] {
            #expect(Form.refusal(body, sizes: [size]) == code)
        }
    }

    @Test func `the limits of a multipart body hold`() {
        let limits = MultipartLimits(headerBytesMax: 64, partsMax: 2, parametersMax: 2, surroundingBytesMax: 8)
        let end = "--frontier--"
        let two = Form.part("a", "") + Form.part("b", "")
        #expect(Form.refusal(two + end, limits: limits) == nil)
        #expect(Form.refusal(two + Form.part("c", "") + end, limits: limits) == .tooManyParts)
        let longName = Form.part(String(repeating: "n", count: 64), "")
        #expect(Form.refusal(longName + end, limits: limits) == .headersTooLarge)
        #expect(Form.refusal("123456\r\n" + end, limits: limits) == nil)
        #expect(Form.refusal("1234567890\r\n" + end, limits: limits) == .surroundingsTooLarge)
        #expect(Form.refusal(end + "\r\n123456", limits: limits) == nil)
        #expect(Form.refusal(end + "\r\n1234567", limits: limits) == .surroundingsTooLarge)
        #expect(Form.refusal("--frontier         \r\n", limits: limits) == .surroundingsTooLarge)
        let parameters = "--frontier\r\nContent-Disposition: form-data; name=a; b=c; d=e\r\n\r\n\r\n" + end
        #expect(Form.refusal(parameters, limits: limits) == .tooManyParameters)
        #expect(Form.refusal(parameters.replacing("; d=e", with: ""), limits: limits) == nil)
    }

    @Test func `a parser that gave up stays that way`() throws {
        var parser = MultipartParser(boundary: try MultipartBoundary(text: "frontier"))
        let bad = Array("--frontierX".utf8)
        var position = 0
        var faults = [#expect(throws: MultipartError.self) { try parser.next(in: bad.span, at: &position) }]
        let good = Array("--frontier--".utf8)
        position = 0
        faults.append(#expect(throws: MultipartError.self) { try parser.next(in: good.span, at: &position) })
        faults.append(#expect(throws: MultipartError.self) { try parser.finish() })
        #expect(faults.map { $0?.code } == [.malformedDelimiter, .malformedDelimiter, .malformedDelimiter])
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `damaged bodies end in parts or an error`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var body = Array(MultipartParserTests.body.utf8)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let place = Int.random(in: 0..<body.count, using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0: body[place] = UInt8.random(in: 0...255, using: &random)
            case 1: body.remove(at: place)
            default: body.insert(Array("\r\n-;\"".utf8).randomElement(using: &random) ?? 0, at: place)
            }
        }
        // The same outcome whatever the pieces are.
        let whole = Result { try Form.parse(body) }
        let pieces = Result { try Form.parse(body, sizes: [Int.random(in: 1...9, using: &random)]) }
        switch (whole, pieces) {
        case (.success(let left), .success(let right)): #expect(left == right)
        case (.failure(let left as MultipartError), .failure(let right as MultipartError)): #expect(left == right)
        default: Issue.record("the pieces change the outcome: \(whole) \(pieces)")
        }
    }
}

@Suite struct MultipartBoundaryTests {
    @Test(arguments: [
        ("multipart/form-data; boundary=frontier", "frontier"),
        ("Multipart/Form-Data;charset=utf-8;Boundary=\"gc0pJq0M:08jU534c0p\"", "gc0pJq0M:08jU534c0p"),
        ("multipart/form-data; boundary=\"with a space\"; x=y", "with a space"),
        ("multipart/form-data ; boundary=----WebKitFormBoundary7MA4YWxk ;", "----WebKitFormBoundary7MA4YWxk"),
    ])
    func `the boundary is read from the content type`(header: String, boundary: String) throws {
        #expect(try MultipartBoundary(contentType: header).text == boundary)
    }

    @Test(arguments: [
        ("", MultipartError.Code.malformedHeader),
        ("application/json", .notMultipart),
        ("multipart/mixed; boundary=a", .notMultipart),
        ("multipart/form-data", .missingBoundary),
        ("multipart/form-data; boundary=", .malformedHeader),
        ("multipart/form-data; boundary=\"\"", .invalidBoundary),
        ("multipart/form-data; boundary=\"ends with \"", .invalidBoundary),
        ("multipart/form-data; boundary=\"a;b\"", .invalidBoundary),
        ("multipart/form-data; boundary=a; boundary=b", .duplicate),
        ("multipart/form-data; boundary=a b", .malformedHeader),
        ("multipart/form-data, boundary=a", .malformedHeader),
        ("multipart/form-data; boundary=" + String(repeating: "b", count: 71), .invalidBoundary),
        ("multipart/form-data; a=1; b=2; c=3; d=4; e=5; f=6; g=7; h=8; boundary=i", .tooManyParameters),
    ])
    func `other content types are refused`(header: String, code: MultipartError.Code) throws {
        let error = #expect(throws: MultipartError.self) { try MultipartBoundary(contentType: header) }
        #expect(error?.code == code)
    }

    @Test func `seventy characters are still a boundary`() throws {
        let text = String(repeating: "b", count: 70)
        #expect(try MultipartBoundary(text: text).text == text)
    }
}
