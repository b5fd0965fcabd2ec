import NIOHTTP1

extension HTTPRequestHead {
    /// Why a head that the parser has taken is refused all the same; `nil` where it is not.
    var whyUnreadable: APIError? {
        if hasUncertainLength {
            return .invalid("Transfer-Encoding", "must be only chunked, in HTTP/1.1, without Content-Length")
        }
        if hasUncertainHost {
            return .invalid(
                "Host", "must be there once, be a host, perhaps with a port, and be the target's where that has one")
        }
        return foreignField.map { .invalid($0, "must be ASCII") }
    }

    /// Whether it is uncertain where the body ends (RFC 9112 sections 6.1 and 6.3).
    ///
    /// So with two ways of telling it, with chunks in a version that has none, and with another coding than plain
    /// chunks.
    ///
    /// A proxy may take for the body what is the next request here, or the other way about.
    private var hasUncertainLength: Bool {
        let codings = headers["Transfer-Encoding"]
        guard let coding = codings.first else { return false }
        let isChunked = codings.count == 1 && Self.isSame(Self.trimmed(coding), "chunked".utf8)
        return !isChunked || headers.contains(name: "Content-Length") || version != .http1_1
    }

    /// Whether `Host` is there twice, missing in HTTP/1.1, no host, or another than the target's host (RFC 9112 section
    /// 3.2).
    private var hasUncertainHost: Bool {
        let hosts = headers["Host"]
        guard let host = hosts.first else { return version == .http1_1 }
        let name = Self.trimmed(host)
        return hosts.count > 1 || !Self.isHost(name) || targetHost.map { !Self.isSame($0, name) } ?? false
    }

    /// Whether a text has only the bytes of `uri-host [":" port]` (RFC 3986 section 3.2.2), in their places; none at
    /// all is the host of a target without one.
    private static func isHost(_ text: Substring.UTF8View) -> Bool {
        var rest = text
        if rest.first == UInt8(ascii: "[") {
            rest = rest.dropFirst().drop { isOfName($0) || $0 == UInt8(ascii: ":") }
            guard rest.popFirst() == UInt8(ascii: "]") else { return false }
        } else {
            rest = rest.drop(while: isOfName)
        }
        guard let colon = rest.popFirst() else { return true }
        return colon == UInt8(ascii: ":") && rest.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Whether a byte may be in a host's name: unreserved, of an escape, or a delimiter within it.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: nameMarks.contains(byte)
        }
    }

    private static let nameMarks = Array("-._~%!$&'()*+,;=".utf8)

    /// The host of a target in absolute form, `http://host/path`; empty if the target is in no valid form.
    private var targetHost: Substring.UTF8View? {
        let target = uri[...].utf8
        // The target of `CONNECT` is a host and nothing else; no route takes it.
        guard method != .CONNECT, let first = target.first, first != UInt8(ascii: "/"), uri != "*" else { return nil }
        let parts = target.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 2, parts[1].isEmpty else { return target.prefix(0) }
        return parts[2].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }

    /// A field's value without the blanks around it, which the parser leaves at its end.
    private static func trimmed(_ value: String) -> Substring.UTF8View {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = value[...].utf8.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    /// Compares by bytes, in any case.
    private static func isSame(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        left.elementsEqual(right) { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// The name of a field that is read as words and holds anything but ASCII.
    ///
    /// It means nothing there, and comparing long texts of combining marks takes the square of their length.
    private var foreignField: String? {
        let field = headers.first(where: { name, value in
            value.utf8.contains { $0 >= 0x80 } && Self.words.contains(name.lowercased())
        })
        return field?.name
    }

    private static let words: Set<String> = [
        "authorization", "content-type", "expect", "host", "if-none-match", "last-event-id", "origin",
    ]
}
