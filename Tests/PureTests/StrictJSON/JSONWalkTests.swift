import Foundation
import StrictJSON
import Testing

@Suite struct `A walk over JSON` {
    private func fault(_ text: [UInt8], depthMax: Int = 8) -> JSONFault? {
        do throws(JSONFault) {
            try JSONWalk.members(of: text, depthMax: depthMax)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "{}", "[]", "null", "true", "false", "0", "-0", "\"\"", " \t\r\n{ } \t\r\n", "[1,2 , 3]", "{\"a\":{\"a\":{}}}",
        "-0.5", "10.25", "1E+5", "1e-5", "1e5", "0e0", "1e308", "1e-400", "123456789012345678901234567890",
        #""\"\\\/\b\f\n\r\t\u0041\uD83D\ude00""#, #""\ud800\uDFFF\ud7ff\ue000""#, "\"ä\u{1F600}\u{7F}\u{2028}\"",
        #"[{"a":1},{"a":1}]"#, #"{"a":1,"A":1,"":1}"#,
    ])
    func `a walk over JSON takes whatever RFC 8259 allows`(_ text: String) {
        #expect(fault(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "[1", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{\"a\"}", "{\"a\":}", "{a:1}", "{'a':1}",
        "{\"a\" 1}", "{1:1}", "{]", "[}", "{}{}", "{} x", "nul", "truex", "True", "NaN", "Infinity", "01", "-01", "1.",
        ".5", "+1", "-", "1e", "1e+", "0x10", "1.e5", "\"", "\"a", "\"\\", "\"\\q\"", "\"\\u12\"", "\"\\u12g4\"",
        "\"\\U0041\"", "\"a\nb\"", "\"a\tb\"", "\"\u{0}\"", "\u{0}", "{}\u{0}", "\u{FEFF}{}", "\u{A0}{}", "// a\n{}",
        "\"a\u{1F}\"",
    ])
    func `a walk over JSON refuses whatever it does not`(_ text: String) {
        #expect(fault(Array(text.utf8)) == .malformed)
    }

    /// To some readers it is half a pair, or U+FFFD, and others take no such text.
    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\udc00\ud800""#, #""a\ud83dx""#, #""\ud83d\ud83d\ude00""#, #""\ud83d\n""#,
        #""\uD83D\u0061""#, #"{"place\udc00":1}"#, #"{"\ud800":1,"\udfff":2}"#, #"[["\uDBFF"]]"#,
    ])
    func `a walk over JSON refuses half a surrogate pair, in names as well`(_ text: String) {
        #expect(fault(Array(text.utf8)) == .halfPair)
    }

    /// To some readers it is infinite, and others take no such number.
    @Test(arguments: ["1e400", "-1e400", "1e309", "1.8e308", "[1e999]", String(repeating: "9", count: 310)])
    func `a walk over JSON refuses a number that is larger than any`(_ text: String) {
        #expect(fault(Array(text.utf8)) == .numberTooLarge)
        #expect(fault(Array("{\"n\":\(text)}".utf8)) == .numberTooLarge)
    }

    @Test(
        arguments: [
            [0xFF], [0x80], [0xC0, 0xAF], [0xE2, 0x82], [0xF5, 0x80, 0x80, 0x80],
            // A surrogate as three bytes.
            [0xED, 0xA0, 0x80],
        ] as [[UInt8]])
    func `a walk over JSON refuses what is not UTF-8, wherever it is`(_ bytes: [UInt8]) {
        #expect(fault(Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8)) == .notUTF8)
        #expect(fault(Array("{}".utf8) + bytes) == .notUTF8)
    }

    @Test func `a walk over JSON refuses a long name, of which marks that combine would take long to compare`() {
        #expect(fault(Array("{\"\(String(repeating: "a", count: 128))\":1}".utf8)) == nil)
        let marks = String(repeating: "\u{301}\u{316}", count: 4000)
        for name in [String(repeating: "a", count: 129), "a\(marks)"] {
            #expect(fault(Array("[{\"\(name)\":1}]".utf8)) == .nameTooLong)
        }
        #expect(fault(Array("{\"a\":\"\(marks)\"}".utf8)) == nil)
    }

    @Test func `a walk over JSON refuses a long text beyond ASCII where its reader says so`() {
        func fault(_ text: String) -> JSONFault? {
            do throws(JSONFault) {
                try JSONWalk.members(of: Array(text.utf8), textBytesMax: 10)
                return nil
            } catch {
                return error
            }
        }
        #expect(fault(#"{"a":"01234567890123456789"}"#) == nil)
        #expect(fault(#"{"a":"01234567\/9\n\\\u002B\u007f"}"#) == nil)
        #expect(fault(#"{"a":"0123456789\u0080"}"#) == .textTooLong)
        #expect(fault("{\"a\":\"\u{E9}2345678\"}") == nil)
        #expect(fault("{\"a\":[\"\u{E9}2345678901\"]}") == .textTooLong)
        #expect(fault(#"{"a":{"b":"\u030123456"}}"#) == .textTooLong)
    }

    @Test func `a walk over JSON refuses other encodings`() throws {
        // A byte order mark is no UTF-8; without one the zeros are read, which JSON does not have.
        for (encoding, expected) in [
            (.utf16, .notUTF8), (.utf16LittleEndian, .malformed), (.utf16BigEndian, .malformed), (.utf32, .notUTF8),
            (.utf32LittleEndian, .malformed),
        ] as [(String.Encoding, JSONFault)] {
            #expect(fault(Array(try #require("{\"a\":1}".data(using: encoding)))) == expected, "\(encoding)")
        }
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"{"\u0061":1,"\u0061":1}"#, #"[0,{"b":{"a":1,"a":2}}]"#,
        #"{"\n":1,"\u000A":2}"#, #"{"/":1,"\/":2}"#, #"{"😀":1,"\uD83D\uDE00":2}"#, #"{"a\\":1,"a\u005C":2}"#,
        "{\"\":1,\"\":2}",
        // Composed and decomposed: one name to Swift's dictionaries.
        "{\"\u{E9}\":1,\"e\u{301}\":2}",
    ])
    func `a walk over JSON refuses a member that is there twice, however it is written`(_ text: String) {
        #expect(fault(Array(text.utf8)) == .memberTwice)
    }

    @Test func `a walk over JSON goes no deeper than it may`() {
        func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth)).utf8)
        }
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            #expect(fault(nested(8, open, close)) == nil)
            #expect(fault(nested(9, open, close)) == .tooDeep)
            #expect(fault(nested(100_000, open, close)) == .tooDeep)
        }
        #expect(fault(Array("[\"[[[[[[[[[[{{{{\\\"[[[[[\"]".utf8)) == nil, "brackets in texts are none")
    }

    @Test func `a walk over JSON tells the outermost members in their order, and where their values are`() throws {
        let text = Array(#" {"b" : {"x": 1}, "a\u0062": "é" ,"c":1e300}"#.utf8)
        let members = try JSONWalk.members(of: text)
        #expect(members.map(\.name) == ["b", "ab", "c"])
        #expect(members.map { String(decoding: text[$0.value], as: UTF8.self) } == [#"{"x": 1}"#, "\"é\"", "1e300"])
        let inner = try JSONWalk.members(of: Array(#"[{"a":1}]"#.utf8))
        #expect(inner.isEmpty)
    }

    @Test func `a walk over JSON takes what Foundation writes`() throws {
        let value: [String: Any] = [
            "text": "\u{1}\u{1F}\"\\/\u{2028}\u{1F600}\u{E9}",
            "numbers": [0.1, -1e-300, 1e300, Int64.min, UInt64.max] as [Any],
            "é\n": NSNull(), "flag": true, "nested": [["a": [String: Int]()]], "": "",
        ]
        for options in [[], .prettyPrinted, .withoutEscapingSlashes] as [JSONSerialization.WritingOptions] {
            let text = Array(try JSONSerialization.data(withJSONObject: value, options: options))
            let members = try JSONWalk.members(of: text)
            #expect(Set(members.map(\.name)) == Set(value.keys))
        }
    }
}
