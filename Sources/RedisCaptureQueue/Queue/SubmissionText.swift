import CaptureModel
import NIOCore

/// The field `submission` of a job: the values of a capture that never change and that only the worker reads.
///
/// A line of six words, in the order below, then the assertion, whose length is the last word, then the metadata. The
/// functions write it (`jobs.lua`) from the input of any gateway, so every word is checked.
struct SubmissionText {
    private enum Word: Int, CaseIterable {
        case device, binding, photoDigest, depthDigest, traceParent, assertionBytes
    }

    /// More than any line that the functions write: an id, two digests, a trace, a name and a number.
    private static let lineBytesMax = 512

    private let words: [Substring]
    private let rest: ByteBufferView

    private init(_ text: ByteBuffer) throws(JobFields.Fault) {
        let bytes = text.readableBytesView
        guard let end = bytes.prefix(Self.lineBytesMax).firstIndex(of: UInt8(ascii: "\n")),
            let line = String(validating: bytes[..<end], as: UTF8.self)
        else { throw JobFields.Fault(field: "submission") }
        words = line.parts(at: " ")
        rest = bytes[(end + 1)...]
        guard words.count == Word.allCases.count else { throw JobFields.Fault(field: "submission") }
    }

    /// Reads what was submitted.
    /// - Throws: The fault, which names the missing or wrong part.
    static func read(
        _ text: ByteBuffer, of capture: CaptureID, bundle: BundleText, receivedAt: Timestamp
    ) throws(JobFields.Fault) -> CaptureSubmission {
        let text = try SubmissionText(text)
        guard let assertionBytes = Int(text.words[Word.assertionBytes.rawValue]), assertionBytes >= 0,
            assertionBytes <= text.rest.count
        else { throw JobFields.Fault(field: "assertion") }
        let trace = text.words[Word.traceParent.rawValue]
        return CaptureSubmission(
            id: capture,
            device: try text.required(.device, "device") { DeviceID($0) },
            bundleDigest: bundle.digest,
            binding: try text.required(.binding, "binding") { Binding(word: String($0)) },
            assertion: Array(text.rest.prefix(assertionBytes)),
            metadata: Array(text.rest.dropFirst(assertionBytes)),
            photoDigest: try text.required(.photoDigest, "photo_sha256") { SHA256Digest(hex: $0) },
            depthDigest: try text.required(.depthDigest, "depth_sha256") { SHA256Digest(hex: $0) },
            photoBytes: bundle.photoBytes,
            depthBytes: bundle.depthBytes,
            receivedAt: receivedAt,
            traceParent: trace.utf8.elementsEqual("-".utf8) ? nil : String(trace),
            bundleStore: bundle.store
        )
    }

    private func required<Value>(
        _ word: Word, _ name: String, _ parse: (Substring) -> Value?
    ) throws(JobFields.Fault) -> Value {
        guard let value = parse(words[word.rawValue]) else { throw JobFields.Fault(field: name) }
        return value
    }
}

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

    /// The times in milliseconds for which a settled bundle stays known, as the functions take them: of at most 15
    /// digits.
    static let lifetimes = 0...999_999_999_999_999

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
