import Glibc

/// What tells a file from the one that was there before, without reading it.
struct FileStamp: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let changedAt: (seconds: Int64, nanoseconds: Int64)

    /// Looks at a file, behind symbolic links; `nil` if there is none, or it cannot be looked at.
    init?(_ path: String) {
        var status = stat()
        guard unsafe fstatat(AT_FDCWD, path, &status, 0) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        size = Int64(status.st_size)
        changedAt = (Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec))
    }

    static func == (left: FileStamp, right: FileStamp) -> Bool {
        left.device == right.device && left.inode == right.inode && left.size == right.size
            && left.changedAt == right.changedAt
    }
}
