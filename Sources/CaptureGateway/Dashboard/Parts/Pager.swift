import HTML
import PercentEncoding

/// The ways from one page of a list to others.
struct Pager: Sendable {
    let path: String
    let fields: [(name: String, value: String)]
    let after: String?
    let next: String?

    var markup: Markup {
        guard after != nil || next != nil else { return .empty }
        return Markup.nav("class" => "pager", "aria-label" => "Pages of the list") {
            if after != nil { Markup.a("class" => "button quiet", "href" => address(nil)) { "First page" } }
            if let next { Markup.a("class" => "button", "href" => address(next), "rel" => "next") { "Next page" } }
        }
    }

    private func address(_ after: String?) -> String {
        Self.address(path, fields + (after.map { [("after", $0)] } ?? []))
    }

    /// The address of a page that is asked for with fields.
    static func address(_ path: String, _ fields: [(name: String, value: String)]) -> String {
        guard !fields.isEmpty else { return path }
        return "\(path)?" + fields.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
