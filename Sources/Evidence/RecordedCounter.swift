/// A counter in a document.
///
/// If a number does not fit its type, the decoder does not say which member it is; this does.
struct RecordedCounter: Codable {
    let number: UInt32

    init(_ number: UInt32) {
        self.number = number
    }

    init(from decoder: any Decoder) throws {
        do {
            number = try decoder.singleValueContainer().decode(UInt32.self)
        } catch let fault as DecodingError {
            // Of another type.
            throw fault
        } catch {
            throw EvidenceError(.memberInvalid, at: decoder.codingPath, "has a value out of range")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
