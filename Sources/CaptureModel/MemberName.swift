/// The name of a member of a JSON object, which stands beside the member's value where the object is written.
///
/// ```swift
/// var container = encoder.container(keyedBy: MemberName.self)
/// try container.encode(device.id, forKey: "device_id")
/// ```
package struct MemberName: CodingKey, ExpressibleByStringLiteral {
    /// The name.
    package let stringValue: String

    /// None: members have no numbers.
    package var intValue: Int? { nil }

    /// Takes a name that the source code has.
    package init(stringLiteral name: String) { stringValue = name }

    /// Takes any name.
    package init(stringValue: String) { self.stringValue = stringValue }

    /// None.
    package init?(intValue: Int) { nil }
}
