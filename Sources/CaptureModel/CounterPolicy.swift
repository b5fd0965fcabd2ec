/// When a device's counter is good.
public enum CounterPolicy: Hashable, Sendable, CustomStringConvertible {
    /// Greater than the highest one stored.
    case strict
    /// Never used, and less than this much below the highest: RFC 4303 section 3.4.3, RFC 6479.
    case window(Int)

    /// Reads `strict` or `window(n)` with n from 1 to 65,536.
    public init?(_ text: String) {
        if text == "strict" {
            self = .strict
        } else if text.hasPrefix("window("), text.hasSuffix(")"),
            let size = Int(text.dropFirst(7).dropLast()), (1...65_536).contains(size)
        {
            self = .window(size)
        } else {
            return nil
        }
    }

    /// `strict` or `window(n)`.
    public var description: String {
        switch self {
        case .strict: "strict"
        case .window(let size): "window(\(size))"
        }
    }
}
