import CaptureModel
import CaptureQueue
import NIOCore

/// How captures leave the directory, and how those are found that have been left in it.
extension BundleDirectory {
    /// Removes the folder of a capture and all that is in it; harmless when it is gone.
    ///
    /// - Parameter moment: When the folder was changed last, for whoever has only looked: changed since then it stays.
    /// - Returns: What keeps it from being removed, and keeps no other.
    /// - Throws: What is wrong with the whole directory.
    func remove(_ capture: CaptureID, unchangedSince moment: Duration? = nil) throws(QueueError) -> FileFault? {
        let root = try root()
        try requireOwn(root)
        do throws(FileFault) {
            try remove(capture, unchangedSince: moment, from: root)
        } catch {
            return error
        }
        return nil
    }

    private func remove(
        _ capture: CaptureID, unchangedSince moment: Duration?, from root: borrowing Folder
    ) throws(FileFault) {
        let shard = try root.folder(Self.shard(of: capture))
        let name = capture.description
        do throws(FileFault) {
            let folder = try shard.folder(name)
            // With the folder open: over NFS, what is remembered of it is looked at anew by then.
            if let moment, try shard.changed(name) != moment { return }
            var fault: FileFault?
            for file in try folder.names() {
                do throws(FileFault) { try folder.removeFile(file) } catch { fault = fault ?? error }
            }
            if let fault { throw fault }
        } catch {
            if error.isMissing { return }
            throw error
        }
        try shard.removeFolder(name)
    }

    /// The captures of one shard after a name, in order, whose folders have not been changed for a time.
    ///
    /// - Returns: A fault as well where the shard, or a capture in it, cannot be looked at; it keeps nothing else.
    /// - Throws: What keeps the whole directory from being gone through.
    func captures(
        inShard shard: String, after name: String, untouchedFor ageMin: Duration, limit: Int
    ) throws(QueueError) -> (captures: [UntouchedBytes], last: String?, fault: FileFault?) {
        let root = try root()
        // What is swept may be removed: nobody but its owner goes through a directory.
        try requireOwn(root, mayBeUnowned: false)
        let now: Duration
        do throws(FileFault) {
            // Both moments are of the clock that stamps the folders: this computer's may be far from it.
            now = try root.stamp(Self.mark)
        } catch {
            throw error.queueError
        }
        do throws(FileFault) {
            let folder = try root.folder(shard)
            try probe(.list(shard))
            let names = try folder.names().filter { $0 > name }.sorted().prefix(limit)
            let (captures, fault) = untouched(names, in: folder, now: now, for: ageMin)
            return (captures, names.count == limit ? names.last : nil, fault)
        } catch {
            return ([], nil, error)
        }
    }

    private func untouched(
        _ names: ArraySlice<String>, in folder: borrowing Folder, now: Duration, for ageMin: Duration
    ) -> (captures: [UntouchedBytes], fault: FileFault?) {
        var captures: [UntouchedBytes] = []
        var fault: FileFault?
        for name in names {
            // What is not a capture's folder was put there by somebody else, and is left alone.
            guard let capture = CaptureID(name), capture.description == name else { continue }
            do throws(FileFault) {
                guard let changed = try folder.changed(name), case let age = now - changed, age >= ageMin else {
                    continue
                }
                let isMarked = try folder.folder(name).hasFile(Self.unknown)
                captures.append(
                    UntouchedBytes(capture: capture, touchedAt: changed, age: age, isMarkedUnknown: isMarked))
            } catch {
                // Gone since its name was read.
                if !error.isMissing { fault = fault ?? error }
            }
        }
        return (captures, fault)
    }

    // MARK: Captures that nobody knows

    /// Notes in a capture's folder that nobody knows it, and so touches the folder; harmless when either is gone.
    func markUnknown(_ capture: CaptureID) throws(QueueError) {
        try change(capture) { folder throws(FileFault) in
            do throws(FileFault) {
                try folder.create(Self.unknown, ByteBuffer())
            } catch {
                guard error.isThere else { throw error }
            }
        }
    }

    /// Takes the note out of a capture's folder.
    func unmarkUnknown(_ capture: CaptureID) throws(QueueError) {
        try change(capture) { folder throws(FileFault) in try folder.removeFile(Self.unknown) }
    }

    private func change(
        _ capture: CaptureID, _ body: (borrowing Folder) throws(FileFault) -> Void
    ) throws(QueueError) {
        let root = try root()
        try requireOwn(root)
        do throws(FileFault) {
            let shard = try root.folder(Self.shard(of: capture))
            try body(shard.folder(capture.description))
        } catch {
            if !error.isMissing { throw error.queueError }
        }
    }
}
