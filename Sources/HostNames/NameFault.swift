/// Why a name's addresses are not known: the name, and what the system says.
package struct NameFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Name and reason, for people.
    package let description: String

    /// Notes why.
    package init(_ name: String, _ reason: String) {
        description = "\(name): \(reason)"
    }
}
