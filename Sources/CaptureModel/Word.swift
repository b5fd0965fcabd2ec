/// What a text from outside names by an ASCII word of the program's own.
///
/// Swift compares texts by what they mean to Unicode, which takes the square of their length where somebody makes them of
/// combining marks: half a second for thirty kilobytes, also where the first letters differ.
extension RawRepresentable where RawValue == String {
    /// The value of that name; `nil` for any other text, at a cost in proportion to its length.
    public init?(word text: String) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.init(rawValue: text)
    }
}
