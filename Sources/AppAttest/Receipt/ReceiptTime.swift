import CaptureModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The times in receipts: ISO 8601 in UTC, with up to nine digits after the seconds.
///
/// An example is `2021-01-09T23:22:55.546Z`.
enum ReceiptTime {
    /// Reads a time; `nil` for anything else.
    static func date(_ bytes: ArraySlice<UInt8>) -> Date? {
        let text = Array(bytes)
        guard (20...30).contains(text.count), text.last == UInt8(ascii: "Z"),
            hasShape(text[..<19]), let fraction = fraction(text[19..<text.count - 1])
        else { return nil }
        let (year, month, day) = (number(text[0..<4]), number(text[5..<7]), number(text[8..<10]))
        let (hours, minutes, seconds) = (number(text[11..<13]), number(text[14..<16]), number(text[17..<19]))
        guard day >= 1, day <= GregorianTime.days(inMonth: month, of: year), hours < 24, minutes < 60, seconds < 60
        else { return nil }
        return GregorianTime.date(year, month, day, hours, minutes, seconds).addingTimeInterval(fraction)
    }

    private static let shape = Array("0000-00-00T00:00:00".utf8)

    private static func hasShape(_ text: ArraySlice<UInt8>) -> Bool {
        zip(text, shape).allSatisfy { byte, wanted in
            wanted == UInt8(ascii: "0") ? byte.isDecimalDigit : byte == wanted
        }
    }

    /// The fraction between the seconds and `Z`: nothing, or a point and digits.
    private static func fraction(_ text: ArraySlice<UInt8>) -> Double? {
        guard let first = text.first else { return 0 }
        let digits = text.dropFirst()
        guard first == UInt8(ascii: "."), !digits.isEmpty, digits.allSatisfy(\.isDecimalDigit) else { return nil }
        let unit = digits.reduce(1) { unit, _ in unit * 10 }
        return Double(number(digits)) / Double(unit)
    }

    /// The value of at most nine digits.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int { digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
}
