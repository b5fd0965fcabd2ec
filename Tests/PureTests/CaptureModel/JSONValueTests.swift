import CaptureModel
import FoundationEssentials
import Testing

@Suite struct `Any JSON` {
    @Test(arguments: [#"{"a":[1,2.5,"x",null,true],"b":{"c":-9007199254740993}}"#, "[]", "null"])
    func `any JSON is shown as it came`(text: String) throws {
        let value = try JSONValue(json: text.utf8)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    }

    @Test func `any JSON is the same written in Swift as read`() throws {
        let written: JSONValue = ["a": [1, "x", true, .null, .fraction(2.5)], "b": ["c": -7], "d": [:]]
        #expect(try JSONValue(json: #"{"a": [1, "x", true, null, 2.5], "b": {"c": -7}, "d": {}}"#.utf8) == written)
        #expect(written.adding(["d": 1, "e": []]) == ["a": written["a"] ?? .null, "b": ["c": -7], "d": 1, "e": []])
        #expect(JSONValue.null.adding(["a": 1]) == .null)
    }
}
