import NIOHTTP1

extension HTTPRequestHead {
    /// Whether a head that the parser has taken is refused all the same, as one that is not HTTP.
    var isUnreadable: Bool { hasUncertainLength || hasUncertainHost || hasForeignWords }

    /// Two ways of telling where the body ends, or chunks in a version that has none (RFC 9112 section 6.1).
    ///
    /// What a proxy takes for the body may be the next request here, or the other way about.
    private var hasUncertainLength: Bool {
        headers.contains(name: "Transfer-Encoding")
            && (headers.contains(name: "Content-Length") || version != .http1_1)
    }

    /// Two hosts, or none (RFC 9112 section 3.2).
    private var hasUncertainHost: Bool {
        let hosts = headers["Host"].count
        return hosts > 1 || hosts == 0 && version == .http1_1
    }

    /// Fields that are read as words hold something else than ASCII: it means nothing there, and comparing long texts of
    /// combining marks takes the square of their length.
    private var hasForeignWords: Bool {
        headers.contains { name, value in
            value.utf8.contains { $0 >= 0x80 } && Self.words.contains(name.lowercased())
        }
    }

    private static let words: Set<String> = [
        "authorization", "content-type", "expect", "host", "if-none-match", "last-event-id", "origin",
    ]
}
