import Evidence
import Foundation
import Testing

/// A change of one member of a document, which is at the top or in an object there.
struct EvidenceChange: Sendable, CustomTestStringConvertible {
    let member: String
    /// What stands in its place; `nil`: it is missing.
    let value: (any Sendable)?

    init(_ member: String, _ value: (any Sendable)?) {
        self.member = member
        self.value = value
    }

    var testDescription: String { member }
}

extension CaptureEvidence {
    /// The document with these changes.
    func json(with changes: [EvidenceChange]) throws -> [UInt8] {
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(self))
        var object = try #require(json as? [String: Any])
        for change in changes {
            let path = change.member.split(separator: ".").map(String.init)
            if path.count == 1 {
                object[path[0]] = change.value
            } else {
                var part = try #require(object[path[0]] as? [String: Any])
                part[path[1]] = change.value
                object[path[0]] = part
            }
        }
        return Array(try JSONSerialization.data(withJSONObject: object))
    }
}
