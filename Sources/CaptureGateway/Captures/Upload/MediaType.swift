/// Media types of parts (RFC 9110 section 8.3.1).
enum MediaType {
    /// Whether a Content-Type says `image/jpeg`, with or without parameters.
    static func isJPEG(_ contentType: String?) -> Bool {
        guard let type = contentType?.split(separator: ";", maxSplits: 1).first else { return false }
        return type.lowercased().split(separator: " ") == ["image/jpeg"]
    }
}
