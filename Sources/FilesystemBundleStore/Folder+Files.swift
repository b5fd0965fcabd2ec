import Glibc
import NIOCore

/// The files in a folder.
extension Folder {
    /// Whether there is a file of that name, and no link or folder.
    func hasFile(_ name: String) throws(FileFault) -> Bool {
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            let fault = FileFault.last("fstatat")
            if fault.isMissing { return false }
            throw fault
        }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// Sets a file's change time to now, and returns that time by the file system's clock, since 1970.
    ///
    /// Over NFS that clock is the server's, as for folders that change.
    func stamp(_ name: String) throws(FileFault) -> Duration {
        try probe(.stamp(path(name)))
        guard unsafe utimensat(descriptor, name, nil, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last("utimensat") }
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .last("fstatat") }
        return Self.changed(status)
    }

    /// Sets a file's change time to now, and writes that to the disk.
    func syncStamp(of name: String) throws(FileFault) {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw .last("openat") }
        defer { _ = close(file) }
        _ = try stamp(name)
        try probe(.syncFile(path(name)))
        guard fsync(file) == 0 else { throw .last("fsync") }
    }

    /// Writes a new file that only the owner may read, to the disk.
    ///
    /// Its name is not on the disk before ``sync()``. A file that could not be written is gone when this throws.
    /// - Parameter owner: The owner to give it to; `nil` leaves it to this process.
    func create(_ name: String, _ bytes: ByteBuffer, for owner: FileOwner? = nil) throws(FileFault) {
        try probe(.create(path(name)))
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe openat(descriptor, name, flags, mode_t(0o600))
        guard file >= 0 else { throw .last("openat") }
        defer { _ = close(file) }
        do throws(FileFault) {
            try write(bytes, to: file, name)
            if let owner { try give(file, as: path(name), to: owner) }
            try probe(.syncFile(path(name)))
            // Never called again after a failure: the pages then count as clean, and a second call would succeed.
            guard fsync(file) == 0 else { throw .last("fsync") }
        } catch {
            // If removing it fails too, it goes with its folder.
            _ = unsafe unlinkat(descriptor, name, 0)
            throw error
        }
    }

    private func write(_ bytes: ByteBuffer, to file: Int32, _ name: String) throws(FileFault) {
        var rest = bytes
        while rest.readableBytes > 0 {
            try probe(.write(path(name)))
            let count = unsafe rest.withUnsafeReadableBytes { unsafe Self.write(file, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last("write") }
            rest.moveReaderIndex(forwardBy: count)
        }
    }

    private static func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        unsafe Glibc.write(file, bytes.baseAddress, bytes.count)
    }

    /// Gives a file a second name, which must not exist yet; `false` if the file system has no hard links.
    func link(_ name: String, to new: String) throws(FileFault) -> Bool {
        do throws(FileFault) {
            try probe(.link(path(new)))
            guard unsafe linkat(descriptor, name, descriptor, new, 0) == 0 else { throw .last("linkat") }
            return true
        } catch {
            guard [EPERM, EOPNOTSUPP, ENOSYS].contains(error.code) else { throw error }
            return false
        }
    }

    /// Renames a file, and replaces any file of the new name.
    func rename(_ name: String, to new: String) throws(FileFault) {
        try probe(.rename(path(new)))
        guard unsafe renameat(descriptor, name, descriptor, new) == 0 else { throw .last("renameat") }
    }

    /// Reads a file, up to `bytesMax` bytes; `nil` if there is none.
    func read(_ name: String, bytesMax: Int) throws(FileFault) -> ByteBuffer? {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            let fault = FileFault.last("openat")
            if fault.isMissing { return nil }
            throw fault
        }
        defer { _ = close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .last("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileFault(call: "fstat", code: ELOOP) }
        let size = min(Int(status.st_size), bytesMax)
        var bytes = ByteBufferAllocator().buffer(capacity: size)
        while bytes.readableBytes < size {
            let wanted = size - bytes.readableBytes
            var count = 0
            _ = unsafe bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { room in
                count = unsafe Self.read(file, UnsafeMutableRawBufferPointer(rebasing: room[..<wanted]))
                return max(0, count)
            }
            guard count >= 0 else { throw .last("read") }
            // The file has become shorter meanwhile: its digest will not match.
            if count == 0 { break }
        }
        return bytes
    }

    private static func read(_ file: Int32, _ room: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = unsafe Glibc.read(file, room.baseAddress, room.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Removes a file or link; harmless when it is gone.
    func removeFile(_ name: String) throws(FileFault) {
        try probe(.removeFile(path(name)))
        guard unsafe unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw .last("unlinkat") }
    }
}
