import CaptureQueue

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How much more a bundle directory's file system takes.
package struct BundleRoom: Sendable, Equatable {
    /// The files and folders of one bundle.
    package static let filesPerBundle = 3

    /// Bytes that programs of the directory's owner may still write.
    package let bytes: Int
    /// Files and folders that may still be made; `nil` if the file system sets no limit.
    package let files: Int?

    /// Names what is left.
    package init(bytes: Int, files: Int?) {
        self.bytes = bytes
        self.files = files
    }

    /// Whether a bundle of so many bytes finds room.
    package func takes(_ bundleBytes: Int) -> Bool {
        bytes >= bundleBytes && files ?? .max >= Self.filesPerBundle
    }
}

extension BundleDirectory {
    /// The room on the directory's file system, if the directory was prepared.
    func room() throws(QueueError) -> BundleRoom {
        let root = try root()
        do throws(FileFault) { return try root.room() } catch { throw error.bundleFault }
    }
}

extension Folder {
    /// The room on the folder's file system, without what it keeps for root.
    func room() throws(FileFault) -> BundleRoom {
        var status = statvfs()
        guard unsafe fstatvfs(descriptor, &status) == 0 else { throw .last("fstatvfs") }
        let (bytes, isTooMany) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return BundleRoom(
            bytes: isTooMany ? .max : Int(clamping: bytes),
            // Such file systems make room for files as they need it.
            files: status.f_files == 0 ? nil : Int(clamping: UInt64(status.f_favail)))
    }
}
