import CaptureModel
import CaptureQueue
import NIOCore

/// What the mark says, and who goes by it.
extension BundleDirectory {
    /// Whose the directory is; `nil` where it is not there or was not prepared.
    func readMark() throws(QueueError) -> BundleMark? {
        do throws(FileFault) {
            let root = try Folder(root: path, probe: probe)
            return try readMark(in: root)
        } catch {
            guard error.isMissing else { throw error.queueError }
            return nil
        }
    }

    /// What stands in the mark; `nil` where there is none.
    func readMark(in root: borrowing Folder) throws(FileFault) -> BundleMark? {
        guard let bytes = try root.read(Self.mark, bytesMax: BundleMark.bytesMax) else { return nil }
        return BundleMark(text: String(buffer: bytes))
    }

    /// Writes the mark where there is none, or where the one that is there says nothing of an installation.
    func writeMark(of installation: InstallationID?, in root: borrowing Folder) throws(FileFault) {
        let wanted = installation.map { BundleMark.of($0) } ?? .unowned
        if try readMark(in: root) == nil, try writeFirst(wanted, in: root) { return }
        // The one that is there may have come a moment ago.
        guard installation != nil, try readMark(in: root) == .unowned else { return }
        try replaceMark(by: wanted, in: root)
    }

    /// Writes the first mark; `false` when somebody else's has come meanwhile, which stays.
    private func writeFirst(_ mark: BundleMark, in root: borrowing Folder) throws(FileFault) -> Bool {
        let bytes = ByteBuffer(string: mark.text)
        let owner = try root.foreignOwner()
        let partial = try createPartial(Self.mark, bytes, in: root, for: owner)
        var isFirst = true
        do throws(FileFault) {
            // Without links it may be found empty for a moment, which says as little as one of an older release.
            if try !root.link(partial, to: Self.mark) { try root.create(Self.mark, bytes, for: owner) }
        } catch {
            guard error.isThere else { throw error }
            isFirst = false
        }
        try root.removeFile(partial)
        return isFirst
    }

    /// Writes the mark in place of one that is there: whoever looks meanwhile finds the one or the other.
    private func replaceMark(by mark: BundleMark, in root: borrowing Folder) throws(FileFault) {
        let owner = try root.foreignOwner()
        let partial = try createPartial(Self.mark, ByteBuffer(string: mark.text), in: root, for: owner)
        try root.rename(partial, to: Self.mark)
    }

    /// Refuses a directory that is another installation's, whoever has prepared it.
    func refuseOther(than installation: InstallationID?) throws(QueueError) {
        guard let installation, let mark = try readMark() else { return }
        if let objection = mark.objection(from: installation) { throw QueueError(.refused, objection) }
    }

    /// Has the directory held to be an installation's from now on, unless it is another's; tells what its mark says.
    func own(as installation: InstallationID) throws(QueueError) -> BundleMark {
        _ = try root()
        guard let mark = try readMark() else { throw QueueError(.unavailable, "bundles.directory has lost its mark") }
        if let objection = mark.objection(from: installation) { throw QueueError(.refused, objection) }
        owner.set(installation)
        return mark
    }

    /// Holds an open root to be the installation's that this program works for, where it knows that.
    ///
    /// A program starts with the right directory or not at all. What it meets later is as if that was not mounted.
    func requireOwn(_ root: borrowing Folder, mayBeUnowned: Bool = true) throws(QueueError) {
        guard let installation = owner.installation else { return }
        let found: BundleMark?
        do throws(FileFault) { found = try readMark(in: root) } catch { throw error.queueError }
        guard let mark = found else { throw QueueError(.unavailable, "bundles.directory has lost its mark") }
        if let objection = mark.objection(from: installation) { throw QueueError(.unavailable, objection) }
        guard mark != .unowned || mayBeUnowned else {
            throw QueueError(
                .unavailable, "bundles.directory does not say yet whose it is: `capturectl migrate` writes it there")
        }
    }
}
