import CaptureModel

/// The field `bundle` of a job: the five words about a capture's bytes that the functions need.
struct BundleText {
    let digest: SHA256Digest
    let photoBytes: Int
    let depthBytes: Int
    let store: BundleStoreName

    /// The sizes of a photo or a depth map that `capture_enqueue_v1` accepts, and zero, which it accepted before.
    ///
    /// Their sums cannot overflow.
    static let sizes = 0...(256 << 20)

    /// The times in milliseconds for which a settled bundle stays known, as the functions take them.
    static let lifetimes = 0...LuaInteger.exactMax

    /// Reads the words; `nil` when the text is not as the functions write it.
    init?(_ text: String) {
        let words = text.parts(at: " ")
        guard words.count == 5, let digest = SHA256Digest(hex: words[0]), let photoBytes = Self.size(words[1]),
            let depthBytes = Self.size(words[2]), let lifetime = Int(words[3]), Self.lifetimes.contains(lifetime),
            let store = BundleStoreName(words[4])
        else { return nil }
        self.digest = digest
        self.photoBytes = photoBytes
        self.depthBytes = depthBytes
        self.store = store
    }

    /// Reads one size; `nil` when it is none.
    static func size(_ text: some StringProtocol) -> Int? { Int(text).flatMap { sizes.contains($0) ? $0 : nil } }
}
