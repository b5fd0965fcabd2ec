package import CaptureModel

/// The beginning of the id of a capture or a device.
///
/// A capture's id begins with the time at which it was made: those of about a minute have their first eight digits in
/// common.
package struct IDPrefix: Sendable, Equatable {
    /// How many characters it has at least.
    package static let charactersMin = 8

    /// The lowest id that begins like this, as one of captures.
    package let lowest: CaptureID
    /// The highest one.
    package let highest: CaptureID

    /// Reads the beginning of an id's canonical text form, in either case; anything else, and a shorter one, is `nil`.
    package init?(_ text: String) {
        let count = text.utf8.count
        guard count >= Self.charactersMin,
            let lowest = CaptureID(text + Self.rest("00000000-0000-0000-0000-000000000000", after: count)),
            let highest = CaptureID(text + Self.rest("ffffffff-ffff-ffff-ffff-ffffffffffff", after: count))
        else { return nil }
        self.lowest = lowest
        self.highest = highest
    }

    private static func rest(_ id: String, after count: Int) -> String { String(id.dropFirst(count)) }
}
