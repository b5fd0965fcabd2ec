import CaptureModel
import CaptureQueue
import NIOCore

/// Reads, writes and checks the mark, which names the installation that owns the directory.
extension BundleDirectory {
    /// The directory's mark; `nil` if the directory does not exist or was not prepared.
    func readMark() throws(QueueError) -> BundleMark? {
        do throws(FileFault) {
            let root = try Folder(root: path, probe: probe)
            return try readMark(in: root)
        } catch {
            guard error.isMissing else { throw error.bundleFault }
            return nil
        }
    }

    /// The mark in an open root; `nil` if there is none.
    func readMark(in root: borrowing Folder) throws(FileFault) -> BundleMark? {
        guard let bytes = try root.read(Self.mark, bytesMax: BundleMark.bytesMax) else { return nil }
        return BundleMark(text: String(buffer: bytes))
    }

    /// Writes the mark if there is none, or if the present one names no installation.
    func writeMark(of installation: InstallationID?, in root: borrowing Folder) throws(FileFault) {
        let wanted = installation.map { BundleMark.of($0) } ?? .unowned
        if try readMark(in: root) == nil, try writeFirst(wanted, in: root) { return }
        // Another process may have written the present mark a moment ago.
        guard installation != nil, try readMark(in: root) == .unowned else { return }
        try replaceMark(by: wanted, in: root)
    }

    /// Writes the first mark; `false` if another process has written one meanwhile, which stays.
    private func writeFirst(_ mark: BundleMark, in root: borrowing Folder) throws(FileFault) -> Bool {
        let bytes = ByteBuffer(string: mark.text)
        let owner = try root.foreignOwner()
        let partial = try createPartial(Self.mark, bytes, in: root, for: owner)
        var isFirst = true
        do throws(FileFault) {
            // Without hard links the mark may be empty for a moment, which reads as unowned, like one of an older
            // release.
            if try !root.link(partial, to: Self.mark) { try root.create(Self.mark, bytes, for: owner) }
        } catch {
            guard error.isThere else { throw error }
            isFirst = false
        }
        try root.removeFile(partial)
        return isFirst
    }

    /// Replaces the mark atomically: a reader finds the old one or the new one.
    private func replaceMark(by mark: BundleMark, in root: borrowing Folder) throws(FileFault) {
        let owner = try root.foreignOwner()
        let partial = try createPartial(Self.mark, ByteBuffer(string: mark.text), in: root, for: owner)
        try root.rename(partial, to: Self.mark)
    }

    /// Refuses a directory that belongs to another installation, whoever has prepared it.
    func refuseOther(than installation: InstallationID?) throws(QueueError) {
        guard let installation, let mark = try readMark() else { return }
        if let objection = mark.objection(from: installation) { throw QueueError(.refused, objection, of: .bundles) }
    }

    /// Binds the directory to an installation from now on, unless it is another's, and returns its mark.
    func own(as installation: InstallationID) throws(QueueError) -> BundleMark {
        _ = try root()
        guard let mark = try readMark() else { throw Self.unmarked }
        if let objection = mark.objection(from: installation) { throw QueueError(.refused, objection, of: .bundles) }
        owner.set(installation)
        return mark
    }

    /// Checks that an open root belongs to this program's installation, once that is known.
    ///
    /// A program starts only with the right directory. If it meets a wrong one later, it treats it as not mounted.
    func requireOwn(_ root: borrowing Folder, mayBeUnowned: Bool = true) throws(QueueError) {
        guard let installation = owner.installation else { return }
        let found: BundleMark?
        do throws(FileFault) { found = try readMark(in: root) } catch { throw error.bundleFault }
        guard let mark = found else { throw Self.unmarked }
        if let objection = mark.objection(from: installation) {
            throw QueueError(.unavailable, objection, of: .bundles)
        }
        guard mark != .unowned || mayBeUnowned else {
            throw QueueError(
                .unavailable, "bundles.directory does not say yet whose it is: `capturectl migrate` writes it there",
                of: .bundles)
        }
    }

    private static let unmarked = QueueError(.unavailable, "bundles.directory has lost its mark", of: .bundles)
}
