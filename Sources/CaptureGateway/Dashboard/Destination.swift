import HTTPTypes
import Hummingbird

/// Where a login leads: to a page of the dashboard's own, never to another site.
struct Destination: Sendable, Equatable {
    private static let bytesMax = 1024

    /// Path and query.
    let address: String

    /// - Returns: `nil` unless it is the plain path of a page other than the login, with a query or without, and not too
    ///   long.
    init?(_ address: String) {
        guard address.utf8.count <= Self.bytesMax, address.utf8.allSatisfy(Self.isOfQuery) else { return nil }
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first.map(String.init), path.hasPrefix("/"), !path.contains("//"),
            path.utf8.allSatisfy(Self.isPlain),
            Page.allCases.contains(where: { $0.method == .get && $0 != .login && $0.hasPath(path) })
        else { return nil }
        self.address = address
    }

    /// The page that a form was sent from, as the browser says; `nil` when it does not, or names another site's.
    static func referrer(of request: Request) -> Destination? {
        guard let referer = request.headers[.referer], referer.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let parts =
            referer
            .split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[2] == request.head.authority else { return nil }
        let address = "/\(parts[3])"
        let halves = address.split(separator: "?", maxSplits: 1).map(String.init)
        // A notice of an earlier action is not shown again.
        let isNotice = halves.count == 2 && Notice(FormFields(halves[1])) != nil
        return Destination(isNotice ? halves[0] : address)
    }

    /// Neither dots nor escapes, by which a path could lead out of the dashboard.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func isOfQuery(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "#")
    }
}
