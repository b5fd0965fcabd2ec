import CaptureModel

extension VerificationFields {
    /// The command line's fields, overridden by those of one line.
    /// - Parameter members: The members that the command's lines may have.
    func overridden(
        by object: [String: JSONValue], of members: LineMembers
    ) throws(VerificationFault) -> VerificationFields {
        try VerificationFields().filled(from: try members.passedOver(of: object)).check()
        var fields = try filled(from: object.filter { members.own.contains($0.key) })
        // A line's hash or data replaces the command line's other one: they exclude each other within one source only.
        if Self.hasReplaced(members.hashed, .clientDataHash, by: object) { fields.bytes[members.hashed] = nil }
        if Self.hasReplaced(.clientDataHash, members.hashed, by: object) { fields.bytes[.clientDataHash] = nil }
        return fields
    }

    /// These fields, with the values that an object gives.
    private func filled(from object: [String: JSONValue]) throws(VerificationFault) -> VerificationFields {
        var fields = self
        for name in Name.allCases {
            if let text = try Self.string(object, name.rawValue) { fields.bytes[name] = .base64(text) }
        }
        if let apps = try Self.strings(object, "app_id") { fields.appIDs = apps }
        if let roots = try Self.strings(object, "root") { fields.roots = roots }
        if let environment = try Self.string(object, "environment") { fields.environment = environment }
        if let at = try Self.string(object, "at") { fields.at = at }
        if let type = try Self.string(object, "type") { fields.receiptType = type }
        if let token = try Self.string(object, "token") { fields.token = token }
        if let flag = try Self.flag(object, "require_receipt") { fields.requireReceipt = flag }
        if let flag = try Self.flag(object, "verify_receipt") { fields.verifyReceipt = flag }
        if let flag = try Self.flag(object, "fresh") { fields.isFresh = flag }
        switch object["previous_counter"] ?? .null {
        case .null: break
        case .whole(let counter): fields.previousCounter = counter
        default: throw .invalid("previous_counter", "is not a whole number")
        }
        return fields
    }

    /// Whether the line gives the new value and not the old one.
    private static func hasReplaced(_ old: Name, _ new: Name, by object: [String: JSONValue]) -> Bool {
        func has(_ name: Name) -> Bool { if case .string? = object[name.rawValue] { true } else { false } }
        return has(new) && !has(old)
    }

    private static func string(_ object: [String: JSONValue], _ key: String) throws(VerificationFault) -> String? {
        switch object[key] ?? .null {
        case .null: return nil
        case .string(let text): return text
        default: throw .invalid(key, "is not a string")
        }
    }

    private static func flag(_ object: [String: JSONValue], _ key: String) throws(VerificationFault) -> Bool? {
        switch object[key] ?? .null {
        case .null: return nil
        case .bool(let flag): return flag
        default: throw .invalid(key, "is not true or false")
        }
    }

    private static func strings(_ object: [String: JSONValue], _ key: String) throws(VerificationFault) -> [String]? {
        switch object[key] ?? .null {
        case .null: return nil
        case .string(let text): return [text]
        case .array(let items):
            var texts: [String] = []
            for item in items {
                guard case .string(let text) = item else { throw .invalid(key, "is not a list of strings") }
                texts.append(text)
            }
            return texts
        default: throw .invalid(key, "is neither a string nor a list of strings")
        }
    }
}
