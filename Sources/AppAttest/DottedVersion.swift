import CaptureModel

/// A version such as `1.20.3`: numbers with dots between them, compared number by number, missing ones being zero.
///
/// ```swift
/// let isOlder = DottedVersion("17.4")! < DottedVersion("17.4.1")!  // true
/// ```
public struct DottedVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
    private let numbers: [UInt64]

    /// How many numbers of a CFBundleVersion Apple's systems compare.
    private static let buildNumbers = 3

    /// The longest text taken, in bytes.
    public static let bytesMax = 64

    /// Reads digits and dots; any other text, and one that is longer than ``bytesMax``, is `nil`.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        var numbers: [UInt64] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard part.allSatisfy(\.isDecimalDigit),
                let digits = String(part), let number = UInt64(digits)
            else { return nil }
            numbers.append(number)
        }
        // `1.0` and `1` are one version, and so they are equal.
        while numbers.count > 1, numbers.last == 0 { numbers.removeLast() }
        self.numbers = numbers
    }

    /// The version without trailing zeros.
    public var description: String { numbers.map(String.init).joined(separator: ".") }

    /// Whether a version comes before another one.
    public static func < (one: DottedVersion, other: DottedVersion) -> Bool {
        one.numbers.lexicographicallyPrecedes(other.numbers)
    }

    /// Whether a build comes before another one as Apple's systems compare CFBundleVersion: by three numbers.
    ///
    /// "The system ignores" further numbers, and missing ones are zeros (Apple, Bundle Resources, CFBundleVersion). So
    /// of two builds that differ only in their fourth number neither is earlier.
    public func isEarlierBuild(than other: DottedVersion) -> Bool {
        for place in 0..<Self.buildNumbers {
            let (own, others) = (number(at: place), other.number(at: place))
            if own != others { return own < others }
        }
        return false
    }

    private func number(at place: Int) -> UInt64 { place < numbers.count ? numbers[place] : 0 }
}
