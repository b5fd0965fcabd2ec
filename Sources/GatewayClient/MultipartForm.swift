import NIOCore

/// Writes `multipart/form-data` (RFC 7578) in memory.
struct MultipartForm {
    private(set) var body: ByteBuffer
    private let boundary: String

    /// Starts a form.
    /// - Parameters:
    ///   - boundary: At most 70 characters that occur in no part (RFC 2046 section 5.1.1).
    ///   - capacity: About how many bytes the parts have.
    init(boundary: String, capacity: Int) {
        self.boundary = boundary
        self.body = ByteBuffer()
        body.reserveCapacity(capacity + 1024)
    }

    /// `Content-Type` of the form.
    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Appends a part.
    mutating func append(name: String, fileName: String? = nil, contentType: String, _ bytes: [UInt8]) {
        let file = fileName.map { "; filename=\"\($0)\"" } ?? ""
        body.writeString("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n")
        body.writeString("Content-Type: \(contentType)\r\n\r\n")
        body.writeBytes(bytes)
        body.writeString("\r\n")
    }

    /// Ends the form; nothing is appended after this.
    mutating func finish() {
        body.writeString("--\(boundary)--\r\n")
    }
}
