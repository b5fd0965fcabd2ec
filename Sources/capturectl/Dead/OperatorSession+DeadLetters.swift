import CaptureModel
import CaptureQueue
import FilesystemBundleStore

extension OperatorSession {
    /// Files are looked for in steps, as a directory that hangs must end a look after one of them.
    private static let lettersPerLook = 100

    /// The most letters whose files are looked for: over a network a look takes milliseconds for each.
    private static let lettersLookedForMax = 1_000

    /// Dead letters, after a look for the files of those that the queue cannot tell of; first of those not found.
    ///
    /// A backup, or the same bundle, may have brought them back since a worker did not find them. Those of a lost job may
    /// also have been in Redis: if they are not found here, nothing is known of them. Where nobody can look, and
    /// beyond 1,000 letters, they stay as the queue tells of them; the doctor reports a directory that cannot be read.
    func lookingForFiles(of letters: [DeadLetter]) async -> [DeadLetter] {
        guard let files else { return letters }
        let inFiles = letters.filter { $0.bundleStore == .filesystem }
        let lost = letters.filter { $0.bytes == .unknown }
        let ids = (inFiles.filter { $0.bytes == .notFound } + lost + inFiles.filter { $0.bytes == .unseen }).map(\.id)
        let bytes = await Self.bytes(of: Array(ids.prefix(Self.lettersLookedForMax)), in: files)
        return letters.map { letter in
            var letter = letter
            if let found = bytes[letter.id], letter.bytes != .unknown || found == .kept { letter.bytes = found }
            return letter
        }
    }

    /// What a look into the directory tells of captures; of none after a look that fails.
    private static func bytes(
        of captures: [CaptureID], in files: FilesystemBundleStore
    ) async -> [CaptureID: DeadLetter.Bytes] {
        var bytes: [CaptureID: DeadLetter.Bytes] = [:]
        do throws(QueueError) {
            for page in captures.pages(of: lettersPerLook) {
                let missing = Set(try await files.missing(of: page))
                for id in page { bytes[id] = DeadLetter.Bytes(areKept: !missing.contains(id)) }
            }
            return bytes
        } catch {
            return bytes
        }
    }
}
