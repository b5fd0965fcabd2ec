package import CaptureModel

/// JSON as tests read it.
extension JSONValue {
    /// The elements; none when this is no array.
    package var elements: [JSONValue] { array ?? [] }

    /// The members; none when this is no object.
    package var members: [String: JSONValue] { if case .object(let value) = self { value } else { [:] } }
}

/// A value that may be missing: a path through it is written without a question mark at each step, and leads to `nil`.
///
/// A member that is `null` is there.
extension JSONValue? {
    /// A member; what is no object has none, and gets none.
    package subscript(name: String) -> JSONValue? {
        get { self?[name] }
        set {
            guard case .object(var members) = self else { return }
            members[name] = newValue
            self = .object(members)
        }
    }

    /// The text, when this is a string.
    package var string: String? { self?.string }

    /// The elements; none when this is no array.
    package var elements: [JSONValue] { self?.elements ?? [] }

    /// The members; none when this is no object.
    package var members: [String: JSONValue] { self?.members ?? [:] }
}
