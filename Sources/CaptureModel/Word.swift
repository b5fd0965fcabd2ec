/// Reads a value from a text from outside, when it is an ASCII word.
///
/// Swift compares texts by Unicode equivalence, which takes quadratic time when an attacker writes combining marks:
/// half a second for 30 KB, even when the first letters differ.
extension RawRepresentable where RawValue == String {
    /// The value with this name; `nil` for any other text, in linear time.
    package init?(word text: String) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        self.init(rawValue: text)
    }
}
