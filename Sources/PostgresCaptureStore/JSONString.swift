/// Texts as JSON, without an encoder.
enum JSONString {
    /// A string of RFC 8259, section 7, or `null`.
    ///
    /// Devices wrote some of these texts: whatever they hold, it stays within the quotes.
    static func quoted(_ text: String?) -> String {
        guard let text else { return "null" }
        var string = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" || scalar.value < 0x20 {
                let digits = String(scalar.value, radix: 16)
                string += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            } else {
                string.unicodeScalars.append(scalar)
            }
        }
        return string + "\""
    }
}
