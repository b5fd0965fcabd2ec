#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Names one registered device.
///
/// Random (UUID version 4): it says nothing about its holder.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    /// The id as a UUID.
    public let uuid: UUID

    /// Takes over an id that exists already.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    // SE-0460: other modules call the versions compiled for these texts; the generic one looks up every operation.
    /// Reads the canonical text form (36 characters, either case); anything else is `nil`.
    @specialized(where Text == String)
    @specialized(where Text == Substring)
    public init?<Text: StringProtocol>(_ text: Text) {
        guard let uuid = UUID(canonical: text) else { return nil }
        self.uuid = uuid
    }

    /// Makes a new random id.
    public static func make(using generator: inout some RandomNumberGenerator) -> DeviceID {
        DeviceID(.random(using: &generator))
    }

    /// The canonical text form in lower case.
    public var description: String { uuid.canonicalText }
}
