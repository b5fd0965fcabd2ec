import CaptureModel
import CaptureQueue
import NIOCore

/// Removes captures, and finds those that were left behind.
extension BundleDirectory {
    /// Removes the folder of a capture and all that is in it; harmless when it is gone.
    ///
    /// - Parameter moment: When the folder was last seen to change: if it has changed since, it stays. `nil` removes it
    ///   anyway.
    /// - Returns: The fault that kept this capture, and only this one, from being removed.
    /// - Throws: A fault of the whole directory, or a shortage of this program.
    func remove(_ capture: CaptureID, unchangedSince moment: Duration? = nil) throws(QueueError) -> FileFault? {
        let root = try root()
        try requireOwn(root)
        do throws(FileFault) {
            try remove(capture, unchangedSince: moment, from: root)
        } catch {
            if error.isShortage { throw error.bundleFault }
            return error
        }
        return nil
    }

    /// When the folder of a capture was last changed; `nil` if it is gone.
    func changed(_ capture: CaptureID) throws(QueueError) -> Duration? {
        let root = try root()
        do throws(FileFault) {
            let shard = try root.folder(Self.shard(of: capture))
            let name = capture.description
            // Only with the folder open: NFS refreshes its cached attributes on opening.
            _ = try shard.folder(name)
            return try shard.changed(name)
        } catch {
            if error.isMissing { return nil }
            throw error.bundleFault
        }
    }

    private func remove(
        _ capture: CaptureID, unchangedSince moment: Duration?, from root: borrowing Folder
    ) throws(FileFault) {
        let shard = try root.folder(Self.shard(of: capture))
        let name = capture.description
        do throws(FileFault) {
            let folder = try shard.folder(name)
            // Only with the folder open: NFS refreshes its cached attributes on opening.
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

    /// The captures of one shard after a name, in order, whose folders have not changed for a time.
    ///
    /// - Returns: Also a fault, if the shard or one of its captures cannot be read; the other captures are still
    ///   returned.
    /// - Throws: A fault of the whole directory.
    func captures(
        inShard shard: String, after name: String, untouchedFor ageMin: Duration, limit: Int
    ) throws(QueueError) -> (captures: [UntouchedBytes], last: String?, fault: FileFault?) {
        let root = try root()
        // Captures found here may be removed: only the directory's owner may sweep it.
        try requireOwn(root)
        let now: Duration
        do throws(FileFault) {
            // Both times come from the file system's clock, which stamps the folders: this computer's may be far from
            // it.
            now = try root.stamp(Self.mark)
        } catch {
            throw error.bundleFault
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
            // Any other folder was put there by somebody else, and is left alone.
            guard let capture = CaptureID(name), capture.description == name else { continue }
            do throws(FileFault) {
                guard let changed = try folder.changed(name), case let age = now - changed, age >= ageMin else {
                    continue
                }
                let isMarked = try folder.folder(name).hasFile(Self.unknown)
                captures.append(
                    UntouchedBytes(capture: capture, touchedAt: changed, age: age, isMarkedUnknown: isMarked))
            } catch {
                // A missing folder was removed after its name was read.
                if !error.isMissing { fault = fault ?? error }
            }
        }
        return (captures, fault)
    }

    // MARK: Captures that nobody knows

    /// Marks a capture as known to nobody, and so touches its folder; harmless if the mark is there or the folder gone.
    func markUnknown(_ capture: CaptureID) throws(QueueError) {
        try change(capture) { folder throws(FileFault) in
            do throws(FileFault) {
                try folder.create(Self.unknown, ByteBuffer())
            } catch {
                guard error.isThere else { throw error }
            }
        }
    }

    /// Removes the mark of an unknown capture.
    func unmarkUnknown(_ capture: CaptureID) throws(QueueError) {
        try change(capture) { folder throws(FileFault) in try folder.removeFile(Self.unknown) }
    }

    /// Changes a capture's folder; harmless when it is gone.
    func change(
        _ capture: CaptureID, _ body: (borrowing Folder) throws(FileFault) -> Void
    ) throws(QueueError) {
        let root = try root()
        try requireOwn(root)
        do throws(FileFault) {
            let shard = try root.folder(Self.shard(of: capture))
            try body(shard.folder(capture.description))
        } catch {
            if !error.isMissing { throw error.bundleFault }
        }
    }
}
