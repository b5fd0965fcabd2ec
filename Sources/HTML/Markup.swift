import CaptureModel

/// A safe piece of a page: it is made only of elements and of text, which is escaped.
///
/// ```swift
/// let row = Markup.tr { Markup.td("class" => "id") { capture.description } }
/// let page = row.text
/// ```
package struct Markup: Sendable, Equatable {
    /// The piece as HTML.
    package let text: String

    private init(trusted text: String) {
        self.text = text
    }

    /// The empty piece.
    package static let empty = Markup(trusted: "")

    /// Text as it is to be read: characters with a meaning in HTML are escaped, and those that would steer or turn what
    /// is around them are replaced by U+FFFD.
    package init(_ text: some StringProtocol) {
        self.text = Self.escape(text)
    }

    /// Several pieces, one after the other.
    package static func joined(_ pieces: some Sequence<Markup>) -> Markup {
        Markup(trusted: pieces.map(\.text).joined())
    }

    /// An element with attributes and content.
    ///
    /// - Parameters:
    ///   - name: A literal, so that no value can name an element.
    ///   - attributes: Their values are escaped; addresses are checked, see ``Attribute``.
    package static func element(
        _ name: StaticString, _ attributes: [Attribute], @MarkupBuilder _ content: () -> Markup
    ) -> Markup {
        Markup(trusted: "\(open(name, attributes))\(content().text)</\(name)>")
    }

    /// An element that never has content (HTML, 13.1.2, void elements).
    package static func void(_ name: StaticString, _ attributes: [Attribute]) -> Markup {
        Markup(trusted: open(name, attributes))
    }

    /// The whole document, with the doctype before its root.
    package var document: String { "<!doctype html>\n\(text)\n" }

    private static func open(_ name: StaticString, _ attributes: [Attribute]) -> String {
        attributes.reduce("<\(name)") { $0 + $1.text } + ">"
    }

    /// Escapes the five characters that end text or a quoted value (OWASP, XSS prevention, rule 1), and replaces those
    /// that nobody shall write into a page.
    static func escape(_ text: some StringProtocol) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // Spaces in a page.
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            // Texts come from whoever may write to Redis, too.
            case _ where scalar.isSteering: escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// A name and a value of an element; made by `=>`.
package struct Attribute: Sendable, Equatable {
    let text: String

    /// - Parameter value: `nil` for an attribute without a value, such as `disabled`.
    init(_ name: StaticString, _ value: String?) {
        let name = name.description
        // A handler would be a script in the page, and no page here has scripts.
        precondition(!name.hasPrefix("on"), "\(name): handlers are not written into pages")
        guard let value else {
            text = " \(name)"
            return
        }
        // Only a value could bring an address of another scheme, such as javascript:, so it is replaced by a dead end.
        let isAddress = ["href", "src", "action", "formaction"].contains(name)
        text = " \(name)=\"\(Markup.escape(isAddress && !Self.isOwn(value) ? "#" : value))\""
    }

    /// Whether an address is within the same origin: a path, a query or a fragment.
    private static func isOwn(_ address: String) -> Bool {
        let bytes = Array(address.utf8.prefix(2))
        // By bytes: a combining mark after a slash would form one character with it, and browsers ignore tabs.
        guard !address.utf8.contains(where: { $0 < 0x20 }) else { return false }
        return switch bytes.first {
        case UInt8(ascii: "?"), UInt8(ascii: "#"): true
        case UInt8(ascii: "/"): bytes.count == 1 || ![UInt8(ascii: "/"), UInt8(ascii: "\\")].contains(bytes[1])
        default: false
        }
    }
}

infix operator => : AssignmentPrecedence

/// An attribute with a value.
package func => (name: StaticString, value: some StringProtocol) -> Attribute { Attribute(name, String(value)) }

/// An attribute with a number.
package func => (name: StaticString, value: Int) -> Attribute { Attribute(name, String(value)) }

extension Attribute {
    /// An attribute without a value, present only if it is set.
    package static func flag(_ name: StaticString, if isSet: Bool = true) -> [Attribute] {
        isSet ? [Attribute(name, nil)] : []
    }
}
