import CaptureModel
import CaptureQueue
import Glibc
import NIOCore

/// The layout of a bundle directory, and the order of steps that makes its files survive a power cut.
///
/// ```
/// <root>/capture-bundles            marks a directory that was prepared, says whose it is, and is stamped to learn the
///                                   time there
/// <root>/<2 hex>/                   256 folders, made when it is prepared, by the last digits of captures' ids
/// <root>/<2 hex>/<capture>/photo.<sha256>
/// <root>/<2 hex>/<capture>/depth.<sha256>
/// <root>/<2 hex>/<capture>/unknown       neither queue nor record knows the capture, since the folder's time
/// ```
///
/// A file gets its name only after its bytes are on the disk, so whoever finds the name finds the bytes. Two captures
/// may hold equal photos, hence a folder for each. Every call blocks.
struct BundleDirectory: Sendable {
    static let mark = "capture-bundles"
    static let unknown = "unknown"
    static let shards = (0..<256).map { number in
        let digits = String(number, radix: 16)
        return digits.count == 1 ? "0\(digits)" : digits
    }

    let path: String
    let probe: FileProbe
    /// The installation that it has to belong to, once a program has looked that up.
    let owner = BundleOwner()

    static func shard(of capture: CaptureID) -> String { String(capture.description.suffix(2)) }

    // MARK: The directory itself

    /// Makes the directory, the folders in it and then the mark, unless they are there; its parent must exist.
    ///
    /// A mark that is there stays, unless it is empty. All that is made belongs to the directory's owner, as the programs
    /// run as that user; if root prepares it, existing folders are given to that owner too.
    func prepare(for installation: InstallationID) throws(FileFault) {
        try Folder.makeRoot(path, probe: probe)
        let root = try Folder(root: path, probe: probe)
        let owner = try root.foreignOwner()
        for shard in Self.shards { try root.makeFolder(shard, for: owner) }
        try root.sync()
        try writeMark(of: installation, in: root)
        try root.sync()
    }

    /// Opens the root, if it was prepared.
    ///
    /// If the file system is not mounted, the directory is empty: its captures must not count as gone.
    func root() throws(QueueError) -> Folder {
        do throws(FileFault) {
            let root = try Folder(root: path, probe: probe)
            if try root.hasFile(Self.mark) { return root }
        } catch {
            throw error.bundleFault
        }
        throw QueueError(
            .unavailable, "bundles.directory is no bundle directory: not mounted, or `capturectl migrate` was not run",
            of: .bundles)
    }

    /// Checks that the root is there and was prepared, and that its mark can be read.
    func check() throws(QueueError) {
        let root = try root()
        _ = try requireMark(in: root)
    }

    /// Checks that the disk itself answers, by writing a stamp to it.
    ///
    /// Reading proves nothing: the kernel answers from memory, however dead the disk is. The mark is also opened, so
    /// that an NFS server that cannot open files yet does not pass as up.
    func prove() throws(QueueError) {
        let root = try root()
        try requireOwn(root)
        do throws(FileFault) { try root.syncStamp(of: Self.mark) } catch { throw error.bundleFault }
    }

    // MARK: Bundles

    /// Writes a capture's files; they are on the disk when this returns.
    ///
    /// Several attempts may write one capture at once. None removes what another has finished, so the finished files of
    /// a failed attempt stay too: the caller or the sweeper removes them.
    func put(_ media: CaptureMedia, of submission: CaptureSubmission) throws(QueueError) {
        let root = try root()
        try requireOwn(root)
        do throws(FileFault) {
            let shard = try root.folder(Self.shard(of: submission.id))
            let name = submission.id.description
            try shard.makeFolder(name)
            let folder = try shard.folder(name)
            var isAgain = false
            for (file, bytes) in [(submission.photoFile, media.photo), (submission.depthFile, media.depth)] {
                // Already there: the upload was tried before.
                if try folder.hasFile(file) {
                    isAgain = true
                    continue
                }
                try folder.rename(createPartial(file, bytes, in: folder), to: file)
            }
            if isAgain {
                // To the sweeper they must look as young as new files, and known.
                try folder.removeFile(Self.unknown)
                _ = try shard.stamp(name)
            }
            try folder.sync()
            try shard.sync()
        } catch {
            throw error.bundleFault
        }
    }

    /// Writes a capture's files in the place of those that are there; they are on the disk when this returns.
    ///
    /// A reader finds the old file or the new one. A file that is gone stays gone: the capture may be settled.
    func replace(_ media: CaptureMedia, of submission: CaptureSubmission) throws(QueueError) {
        try change(submission.id) { folder throws(FileFault) in
            for (file, bytes) in [(submission.photoFile, media.photo), (submission.depthFile, media.depth)] {
                guard try folder.hasFile(file) else { continue }
                try folder.rename(createPartial(file, bytes, in: folder), to: file)
            }
            try folder.sync()
        }
    }

    /// Writes a file under a name that no other attempt uses, and returns the name.
    func createPartial(
        _ file: String, _ bytes: ByteBuffer, in folder: borrowing Folder, for owner: FileOwner? = nil
    ) throws(FileFault) -> String {
        for attempt in 1...Self.attemptsMax {
            let name = "\(file).partial-\(attempt)"
            do throws(FileFault) {
                try folder.create(name, bytes, for: owner)
                return name
            } catch {
                guard error.isThere else { throw error }
            }
        }
        throw FileFault(call: "openat", code: EEXIST)
    }

    /// How many unfinished files of one name may exist, of attempts that run or were broken off.
    private static let attemptsMax = 100

    /// Reads a capture's files, at most as many bytes of each as declared: a longer file has another digest anyway.
    ///
    /// Missing files count as gone only if the directory is this installation's.
    /// - Throws: A fault of the whole directory, or a shortage of this program.
    func fetch(_ submission: CaptureSubmission) throws(QueueError) -> FetchedMedia {
        let root = try root()
        let fetched = try read(submission, in: root)
        if fetched == .missing { try requireOwn(root) }
        return fetched
    }

    private func read(
        _ submission: CaptureSubmission, in root: borrowing Folder
    ) throws(QueueError) -> FetchedMedia {
        do throws(FileFault) {
            try probe(.read("\(Self.shard(of: submission.id))/\(submission.id)"))
            let shard = try root.folder(Self.shard(of: submission.id))
            let folder = try shard.folder(submission.id.description)
            guard let photo = try folder.read(submission.photoFile, bytesMax: submission.photoBytes),
                let depth = try folder.read(submission.depthFile, bytesMax: submission.depthBytes)
            else { return .missing }
            return .found(CaptureMedia(photo: photo, depth: depth))
        } catch {
            if error.isMissing { return .missing }
            // Any other capture's files would meet it, too: none is to blame.
            if error.isShortage { throw error.bundleFault }
            return .unreadable("the capture's files cannot be read: \(error.reason)")
        }
    }
}

extension CaptureSubmission {
    /// The photo's name: two files of one name have the same bytes.
    var photoFile: String { "photo.\(photoDigest.hex)" }
    /// The depth map's name.
    var depthFile: String { "depth.\(depthDigest.hex)" }
}
