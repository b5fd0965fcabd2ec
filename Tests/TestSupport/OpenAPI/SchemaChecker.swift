import CaptureModel

/// Holds JSON to the schemas of a description: the part of JSON Schema 2020-12 that the description uses.
///
/// It asks for more than the standard does: a member that no schema names is a fault wherever one names members, as a
/// description that leaves out what is answered has been left behind.
struct SchemaChecker: Sendable {
    /// The description that references lead into.
    let document: JSONValue

    /// What is wrong with a value, each fault with its place; nothing when it is as the schema says.
    func faults(of value: JSONValue, against schema: JSONValue, at path: String = "$") -> [String] {
        check(value, [schema], at: path, isClosed: true)
    }

    /// What a node stands for: itself, or what it refers to.
    func resolved(_ node: JSONValue?) -> JSONValue? {
        guard let reference = node?["$ref"]?.string else { return node }
        return target(of: reference)
    }

    /// What stands at a reference such as `#/components/schemas/Meta`.
    private func target(of reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        var node: JSONValue? = document
        for name in reference.dropFirst(2).split(separator: "/") { node = node?[String(name)] }
        return node
    }

    // MARK: Checking

    /// Checks a value against everything that is said of it: what several schemas name together is named.
    /// - Parameter isClosed: Whether a member that none of them names is a fault.
    private func check(_ value: JSONValue, _ schemas: [JSONValue], at path: String, isClosed: Bool) -> [String] {
        var pending = schemas
        var applied: [JSONValue] = []
        var faults: [String] = []
        while !pending.isEmpty {
            let schema = pending.removeFirst()
            applied.append(schema)
            if let reference = schema["$ref"]?.string {
                if let found = target(of: reference) {
                    pending.append(found)
                } else {
                    faults.append("\(path): \(reference) leads nowhere")
                }
            }
            pending += schema["allOf"]?.elements ?? []
            for keyword in ["anyOf", "oneOf"] {
                guard let branches = schema[keyword]?.elements else { continue }
                let choice = choose(branches, for: value, at: path, isExclusive: keyword == "oneOf")
                pending += choice.fitting
                faults += choice.faults
            }
        }
        for schema in applied {
            faults += Self.problems(of: value, with: schema).map { "\(path): \($0)" }
        }
        switch value {
        case .object(let members): return faults + memberFaults(members, applied, at: path, isClosed)
        case .array(let elements): return faults + elementFaults(elements, applied, at: path, isClosed)
        case .string(let text): return faults + contentFaults(text, applied, at: path, isClosed)
        case .null, .bool, .whole, .fraction: return faults
        }
    }

    /// The alternatives that a value fits, or what is wrong with it by the one that is nearest.
    private func choose(
        _ branches: [JSONValue], for value: JSONValue, at path: String, isExclusive: Bool
    ) -> (fitting: [JSONValue], faults: [String]) {
        let results = branches.map { branch in
            (branch: branch, faults: check(value, [branch], at: path, isClosed: false))
        }
        let fitting = results.filter { $0.faults.isEmpty }.map { $0.branch }
        if isExclusive, fitting.count > 1 {
            return (fitting, ["\(path): fits \(fitting.count) alternatives of which it may fit one"])
        }
        if !fitting.isEmpty { return (fitting, []) }
        // One of another type is not what was meant, however little else is said of it.
        let ofType = results.filter { fitsType(value, $0.branch) }
        let nearest = (ofType.isEmpty ? results : ofType).min { $0.faults.count < $1.faults.count }
        return ([], nearest?.faults ?? ["\(path): there is no alternative"])
    }

    private func fitsType(_ value: JSONValue, _ schema: JSONValue) -> Bool {
        guard let types = Self.types(of: resolved(schema) ?? schema) else { return true }
        return types.contains { value.isOf($0) }
    }

    private func memberFaults(
        _ members: [String: JSONValue], _ schemas: [JSONValue], at path: String, _ isClosed: Bool
    ) -> [String] {
        let isNaming = schemas.contains { $0["properties"] != nil || $0["additionalProperties"] != nil }
        var faults: [String] = []
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let place = "\(path).\(name)"
            var said: [JSONValue] = []
            for schema in schemas {
                said += (schema["properties"]?[name] ?? schema["additionalProperties"]).map { [$0] } ?? []
            }
            if said.contains(.bool(false)) {
                faults.append("\(place): may not be there")
            } else if said.isEmpty, isNaming, isClosed {
                faults.append("\(place): is not described")
            }
            faults += check(member, said, at: place, isClosed: isClosed)
        }
        return faults
    }

    /// What is wrong with the JSON that a text holds.
    private func contentFaults(
        _ text: String, _ schemas: [JSONValue], at path: String, _ isClosed: Bool
    ) -> [String] {
        let isJSON = schemas.contains { $0["contentMediaType"] != nil }
        guard isJSON else { return [] }
        guard let content = try? JSONValue(json: Array(text.utf8)) else {
            return ["\(path): \(JSONValue.string(text).quoted) is no JSON"]
        }
        return check(content, schemas.compactMap { $0["contentSchema"] }, at: path, isClosed: isClosed)
    }

    private func elementFaults(
        _ elements: [JSONValue], _ schemas: [JSONValue], at path: String, _ isClosed: Bool
    ) -> [String] {
        let said = schemas.compactMap { $0["items"] }
        return elements.enumerated().flatMap { index, element in
            check(element, said, at: "\(path)[\(index)]", isClosed: isClosed)
        }
    }
}
