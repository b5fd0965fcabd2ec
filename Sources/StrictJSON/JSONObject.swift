/// The members of a JSON object, each read as the type that its reader expects.
///
/// ```swift
/// let bytes = Array(#"{"width": 256, "model": null}"#.utf8)
/// guard let object = try JSONObject(reading: bytes, depthMax: 8) else { return }
/// try object.number("width")    // 256
/// try object.text("model")      // throws JSONMemberFault.null
/// ```
package struct JSONObject {
    private let text: [UInt8]
    private let members: [JSONMember]

    /// Reads the members in one pass over the text.
    ///
    /// - Throws: ``JSONFault`` for the first fault that makes it no strict JSON.
    /// - Returns: `nil` when the value is not an object.
    package init?(reading bytes: [UInt8], depthMax: Int) throws(JSONFault) {
        let members = try JSONWalk.members(of: bytes, depthMax: depthMax)
        guard bytes.first(where: { !JSONWalk.isSpace($0) }) == UInt8(ascii: "{") else { return nil }
        self.init(text: bytes, members: members)
    }

    private init(text: [UInt8], members: [JSONMember]) {
        self.text = text
        self.members = members
    }

    /// Whether there is a member with this name that is not `null`.
    package func has(_ name: String) -> Bool {
        value(name).map { !Self.isNull($0) } ?? false
    }

    /// A member that is a text, without escapes.
    ///
    /// - Throws: ``JSONMemberFault``.
    package func text(_ name: String) throws(JSONMemberFault) -> String {
        let value = try present(name)
        guard value.first == UInt8(ascii: "\"") else { throw .notString }
        let content = value.dropFirst().dropLast()
        guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
        return String(unescaping: content)
    }

    /// A member that is a number, as the nearest `Double`.
    ///
    /// - Throws: ``JSONMemberFault``.
    package func number(_ name: String) throws(JSONMemberFault) -> Double {
        let value = try present(name)
        guard let first = value.first, first == UInt8(ascii: "-") || JSONWalk.isDigit(first) else { throw .notNumber }
        // Impossible: the walk has found that it is a number, and not too large.
        guard let number = Double(String(decoding: value, as: UTF8.self)) else { throw .notNumber }
        return number
    }

    /// A member that is itself an object.
    ///
    /// - Throws: ``JSONMemberFault``.
    package func object(_ name: String) throws(JSONMemberFault) -> JSONObject {
        let value = try present(name)
        guard value.first == UInt8(ascii: "{") else { throw .notObject }
        do throws(JSONFault) {
            let text = Array(value)
            return JSONObject(text: text, members: try JSONWalk.members(of: text, depthMax: .max))
        } catch {
            // Impossible: the walk over the whole text has checked it, with the same limit on depth.
            throw .notObject
        }
    }

    private func present(_ name: String) throws(JSONMemberFault) -> ArraySlice<UInt8> {
        guard let value = value(name) else { throw .missing }
        guard !Self.isNull(value) else { throw .null }
        return value
    }

    private func value(_ name: String) -> ArraySlice<UInt8>? {
        members.first { $0.name == name }.map { text[$0.value] }
    }

    private static func isNull(_ value: ArraySlice<UInt8>) -> Bool { value.first == UInt8(ascii: "n") }
}
