/// Names the store that holds a capture's bytes, in jobs and in the ledger.
///
/// Not an enumeration: somebody may have written any name into a job.
package struct BundleStoreName: Hashable, Sendable, CustomStringConvertible {
    /// The name: a letter and up to 31 letters, digits or hyphens, in lower case.
    package let rawValue: String

    /// The queue's own Redis.
    package static let redis = BundleStoreName(unchecked: "redis")
    /// A directory that gateways and workers share.
    package static let filesystem = BundleStoreName(unchecked: "filesystem")
    /// A process's memory, for tests.
    package static let memory = BundleStoreName(unchecked: "memory")

    private init(unchecked rawValue: String) {
        self.rawValue = rawValue
    }

    /// Takes over the text of a job unchecked, to be shown and compared as it is.
    package init(asTold text: String) {
        rawValue = text
    }

    // As with DeviceID: every job has such a name.
    /// Reads a name; `nil` when the text is not a valid one.
    @specialized(where Text == String)
    @specialized(where Text == Substring)
    package init?<Text: StringProtocol>(_ text: Text) {
        let lower = UInt8(ascii: "a")...UInt8(ascii: "z")
        let isName = text.utf8.allSatisfy { lower.contains($0) || $0.isDecimalDigit || $0 == UInt8(ascii: "-") }
        guard isName, let first = text.utf8.first, lower.contains(first), text.utf8.count <= 32 else { return nil }
        rawValue = String(text)
    }

    /// The name.
    package var description: String { rawValue }
}
