import CaptureModel

/// Holds real answers to the OpenAPI document of the server that gave them.
///
/// ```swift
/// let conformity = try OpenAPIConformity(document: bytes)
/// let faults = conformity.faults(in: .init(method: "GET", path: "/healthz", status: 200, headers: [], body: body))
/// // ["$.data.status: 'fine' is not 'ok'"]
/// ```
///
/// A status, a type of content or a member that the document does not name is a fault, and so is a header of those that
/// callers act on. What no operation of the document stands for must be answered as the document's responses
/// `NOT_FOUND` and `METHOD_NOT_ALLOWED` are.
package struct OpenAPIConformity: Sendable {
    /// An answer, and what was asked.
    package struct Answer: Sendable {
        let method: String
        let path: String
        let status: Int
        let headers: [(name: String, value: String)]
        let body: [UInt8]

        /// Takes an answer as it came.
        /// - Parameter path: The path that was asked for, with or without its query.
        package init(
            method: String, path: String, status: Int, headers: [(name: String, value: String)], body: [UInt8]
        ) {
            self.method = method
            self.path = path
            self.status = status
            self.headers = headers
            self.body = body
        }

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    /// Thrown of a document whose schemas say what nobody would check.
    package struct Unchecked: Error, Equatable {
        /// The keywords, formats and patterns.
        package let names: [String]
    }

    /// Headers that callers act on: one that is not described is a fault.
    private static let telling = ["Allow", "ETag", "Location", "Retry-After", "WWW-Authenticate"]

    private let checker: SchemaChecker
    private let others: [String]

    /// Reads a document.
    /// - Parameter others: Where paths begin that are no part of it, such as pages.
    /// - Throws: ``Unchecked``, or what is wrong with the JSON.
    package init(document: [UInt8], besides others: [String] = []) throws {
        checker = SchemaChecker(document: try JSONValue(json: document))
        self.others = others
        let unchecked = Self.schemas(in: checker.document).reduce(into: Set<String>()) { names, schema in
            names.formUnion(SchemaChecker.unchecked(in: schema))
        }
        guard unchecked.isEmpty else { throw Unchecked(names: unchecked.sorted()) }
    }

    /// What is wrong with an answer; nothing when it is as the document says.
    package func faults(in answer: Answer) -> [String] {
        let path = String(answer.path.prefix { $0 != "?" })
        if others.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) { return [] }
        guard let operations = operations(at: path) else { return outside(answer, 404, "NOT_FOUND") }
        let method = answer.method == "HEAD" ? "get" : answer.method.lowercased()
        guard let responses = operations[method]?["responses"] else {
            return outside(answer, 405, "METHOD_NOT_ALLOWED")
        }
        guard let response = checker.resolved(responses["\(answer.status)"]) else {
            let statuses = responses.members.keys.sorted().joined(separator: ", ")
            return ["status: \(answer.status) is not one of \(statuses)"]
        }
        return faults(in: answer, against: response)
    }

    // MARK: Finding the response

    /// The operations of a path; a template with fewer parameters goes before one with more.
    private func operations(at path: String) -> JSONValue? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let templates = (checker.document["paths"]?.members ?? [:]).filter { template, _ in
            let parts = template.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == segments.count && zip(parts, segments).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
        func parameters(_ template: String) -> Int { template.count { $0 == "{" } }
        return templates.min { parameters($0.key) < parameters($1.key) }?.value
    }

    /// An answer to what no operation stands for.
    private func outside(_ answer: Answer, _ status: Int, _ name: String) -> [String] {
        guard answer.status == status else {
            return ["status: \(answer.status) is not \(status), and the document has no such operation"]
        }
        guard let response = checker.resolved(checker.document["components"]?["responses"]?[name]) else {
            return ["status: \(status) is not described: there is no response \(name)"]
        }
        return faults(in: answer, against: response)
    }

    /// Every schema of a document, wherever it stands.
    private static func schemas(in node: JSONValue) -> [JSONValue] {
        switch node {
        case .object(let members):
            let named = members["schemas"].map { Array($0.members.values) } ?? []
            return named + (members["schema"].map { [$0] } ?? []) + members.values.flatMap { schemas(in: $0) }
        case .array(let elements): return elements.flatMap { schemas(in: $0) }
        case .null, .bool, .whole, .fraction, .string: return []
        }
    }

    // MARK: Checking

    private func faults(in answer: Answer, against response: JSONValue) -> [String] {
        headerFaults(answer, response["headers"]?.members ?? [:])
            + bodyFaults(answer, response["content"]?.members ?? [:])
    }

    private func headerFaults(_ answer: Answer, _ described: [String: JSONValue]) -> [String] {
        var faults: [String] = []
        for (name, node) in described.sorted(by: { $0.key < $1.key }) {
            guard let header = checker.resolved(node), let schema = header["schema"] else {
                faults.append("\(name): the document does not say what it is")
                continue
            }
            if let text = answer.header(name) {
                faults += checker.faults(of: Self.value(text, schema), against: schema, at: name)
            } else if header["required"] == .bool(true) {
                faults.append("\(name): the header is missing")
            }
        }
        let known = Set(described.keys.map { $0.lowercased() })
        for name in Self.telling where answer.header(name) != nil && !known.contains(name.lowercased()) {
            faults.append("\(name): the header is not described")
        }
        return faults
    }

    /// A header's text as the JSON that its schema speaks of.
    private static func value(_ text: String, _ schema: JSONValue) -> JSONValue {
        guard schema["type"] == .string("integer"), let number = Int64(text) else { return .string(text) }
        return .whole(number)
    }

    private func bodyFaults(_ answer: Answer, _ content: [String: JSONValue]) -> [String] {
        if content.isEmpty { return answer.body.isEmpty ? [] : ["$: a body is not described"] }
        let type = answer.header("Content-Type") ?? ""
        let name = type.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard let media = content[name] else {
            return ["Content-Type: '\(type)' is not one of \(content.keys.sorted().joined(separator: ", "))"]
        }
        if answer.method == "HEAD" { return answer.body.isEmpty ? [] : ["$: HEAD has a body"] }
        guard name == "application/json" else { return [] }
        guard let schema = media["schema"] else { return ["$: the document has no schema of it"] }
        do {
            return checker.faults(of: try JSONValue(json: answer.body), against: schema)
        } catch {
            return ["$: the body is no JSON"]
        }
    }
}
