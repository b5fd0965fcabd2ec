/// Media types of bodies and of their parts (RFC 9110 section 8.3.1).
enum MediaType: String, Sendable {
    case jpeg = "image/jpeg"
    case json = "application/json"

    /// Whether a Content-Type says this type, with or without parameters.
    func isNamed(by contentType: String?) -> Bool {
        guard let contentType else { return false }
        let type = contentType.prefix { $0 != ";" }.lowercased()
        return type.split { $0 == " " || $0 == "\t" } == [rawValue[...]]
    }
}
