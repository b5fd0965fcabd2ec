import CaptureModel
import CaptureQueue
import NIOCore

/// Reads, writes and checks the mark, which names the installation that owns the directory.
extension BundleDirectory {
    /// The directory's mark; `nil` if the directory does not exist, or was not prepared to the end.
    func readMark() throws(QueueError) -> BundleMark? {
        do throws(FileFault) {
            let root = try Folder(root: path, probe: probe)
            return try readMark(in: root)
        } catch {
            guard error.isMissing else { throw error.bundleFault }
            return nil
        }
    }

    /// Whether the directory has the file of a mark, be it an empty one.
    func hasMark() throws(QueueError) -> Bool {
        do throws(FileFault) {
            let root = try Folder(root: path, probe: probe)
            return try root.hasFile(Self.mark)
        } catch {
            guard error.isMissing else { throw error.bundleFault }
            return false
        }
    }

    /// The mark in an open root; `nil` if there is none, or an empty one.
    func readMark(in root: borrowing Folder) throws(FileFault) -> BundleMark? {
        guard let bytes = try root.read(Self.mark, bytesMax: BundleMark.bytesMax) else { return nil }
        return BundleMark(text: String(buffer: bytes))
    }

    /// Writes the mark if there is none, or an empty one.
    func writeMark(of installation: InstallationID, in root: borrowing Folder) throws(FileFault) {
        guard try readMark(in: root) == nil else { return }
        let bytes = ByteBuffer(string: BundleMark.text(of: installation))
        if try !root.hasFile(Self.mark), try writeFirst(bytes, in: root) { return }
        // Another process may have written the present mark a moment ago.
        guard try readMark(in: root) == nil else { return }
        try replaceMark(by: bytes, in: root)
    }

    /// Writes the first mark; `false` if another process has written one meanwhile, which stays.
    private func writeFirst(_ bytes: ByteBuffer, in root: borrowing Folder) throws(FileFault) -> Bool {
        let owner = try root.foreignOwner()
        let partial = try createPartial(Self.mark, bytes, in: root, for: owner)
        var isFirst = true
        do throws(FileFault) {
            // Without hard links the mark may be empty for a moment, which counts as no mark.
            if try !root.link(partial, to: Self.mark) { try root.create(Self.mark, bytes, for: owner) }
        } catch {
            guard error.isThere else { throw error }
            isFirst = false
        }
        try root.removeFile(partial)
        return isFirst
    }

    /// Replaces the mark atomically: a reader finds the old one or the new one.
    private func replaceMark(by bytes: ByteBuffer, in root: borrowing Folder) throws(FileFault) {
        let owner = try root.foreignOwner()
        let partial = try createPartial(Self.mark, bytes, in: root, for: owner)
        try root.rename(partial, to: Self.mark)
    }

    /// Refuses a directory that belongs to another installation, whoever has prepared it.
    func refuseOther(than installation: InstallationID) throws(QueueError) {
        guard let mark = try readMark() else { return }
        if let objection = mark.objection(from: installation) { throw QueueError(.refused, objection, of: .bundles) }
    }

    /// Binds the directory to an installation from now on, unless it is another's.
    func own(as installation: InstallationID) throws(QueueError) {
        let root = try root()
        if let objection = try requireMark(in: root).objection(from: installation) {
            throw QueueError(.refused, objection, of: .bundles)
        }
        owner.set(installation)
    }

    /// Checks that an open root belongs to this program's installation, once that is known.
    ///
    /// A program starts only with the right directory. If it meets a wrong one later, it treats it as not mounted.
    func requireOwn(_ root: borrowing Folder) throws(QueueError) {
        guard let installation = owner.installation else { return }
        if let objection = try requireMark(in: root).objection(from: installation) {
            throw QueueError(.unavailable, objection, of: .bundles)
        }
    }

    /// The mark in an open root that has the file of one.
    func requireMark(in root: borrowing Folder) throws(QueueError) -> BundleMark {
        do throws(FileFault) {
            if let mark = try readMark(in: root) { return mark }
        } catch {
            throw error.bundleFault
        }
        throw QueueError(
            .unavailable,
            "the mark of bundles.directory is empty: `capturectl migrate --new-bundle-directory` writes it again",
            of: .bundles)
    }
}
