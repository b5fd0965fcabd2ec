import StrictJSON
import Testing

@Suite struct `An object in JSON` {
    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONObject(reading: Array(text.utf8), depthMax: 8))
    }

    @Test func `an object in JSON gives texts, numbers and objects by their names`() throws {
        let object = try object(#" {"t": "a\u0062\n\ud83d\ude00ä", "n": -2.5e1, "o": {"n": 7, "t": ""}, "\u0061": 1} "#)
        #expect(try object.text("t") == "ab\n\u{1F600}ä")
        #expect(try object.number("n") == -25)
        #expect(try object.object("o").number("n") == 7)
        #expect(try object.object("o").text("t").isEmpty)
        #expect(try object.number("a") == 1)
    }

    @Test(arguments: [
        (#"{}"#, JSONMemberFault.missing), (#"{"b": "x"}"#, .missing), (#"{"A": "x"}"#, .missing),
        (#"{"a": null}"#, .null),
    ])
    func `an object in JSON tells that a member is missing or null`(text: String, fault: JSONMemberFault) throws {
        let object = try object(text)
        #expect(throws: fault) { try object.text("a") }
        #expect(throws: fault) { try object.number("a") }
        #expect(throws: fault) { try object.object("a") }
    }

    @Test func `an object in JSON takes no type for another`() throws {
        let object = try object(#"{"t": "1", "n": 1, "o": {}, "l": [1], "b": true}"#)
        for name in ["n", "o", "l", "b"] { #expect(throws: JSONMemberFault.notString) { try object.text(name) } }
        for name in ["t", "o", "l", "b"] { #expect(throws: JSONMemberFault.notNumber) { try object.number(name) } }
        for name in ["t", "n", "l", "b"] { #expect(throws: JSONMemberFault.notObject) { try object.object(name) } }
    }

    @Test func `a member of the wrong type is told with the type that it must have`() {
        let words = [JSONMemberFault.notString, .notNumber, .notObject].map { "\($0)" }
        #expect(words == ["must be a string", "must be a number", "must be an object"])
    }

    @Test(arguments: [#""\ud800""#, #""\udc00\ud800""#, #""a\ud83dx""#])
    func `an object in JSON has no text for half a surrogate pair`(text: String) throws {
        #expect(throws: JSONFault.halfPair) { try object(#"{"a": \#(text)}"#) }
    }

    @Test func `an object in JSON has no number for what is larger than any`() throws {
        for number in ["1e400", "-1e400"] {
            #expect(throws: JSONFault.numberTooLarge) { try object(#"{"a": \#(number)}"#) }
        }
        #expect(try object(#"{"a": 1e-400}"#).number("a") == 0)
    }

    @Test func `an object in JSON has what is there and is not null`() throws {
        let object = try object(#"{"a": null, "b": false, "c": ""}"#)
        #expect(!object.has("a") && object.has("b") && object.has("c") && !object.has("d"))
    }

    @Test(arguments: ["[]", " [{\"a\": 1}]", "\"{\"", "1", "null"])
    func `another value is no object in JSON`(text: String) throws {
        #expect(try JSONObject(reading: Array(text.utf8), depthMax: 8) == nil)
    }

    @Test func `an object in JSON is strict JSON, and no deeper than allowed`() throws {
        #expect(throws: JSONFault.memberTwice) { try object(#"{"a": 1, "\u0061": 1}"#) }
        #expect(throws: JSONFault.malformed) { try object(#"{"a": 01}"#) }
        #expect(throws: JSONFault.tooDeep) {
            _ = try JSONObject(reading: Array(#"{"a": {"b": {}}}"#.utf8), depthMax: 2)
        }
    }
}
