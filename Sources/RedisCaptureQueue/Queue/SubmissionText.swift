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
