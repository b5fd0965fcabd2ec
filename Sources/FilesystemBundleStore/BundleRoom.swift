import CaptureQueue
import Glibc

/// How much more a bundle directory's file system takes.
package struct BundleRoom: Sendable, Equatable {
    /// Why nothing can be written there, however much room is left.
    package enum Refusal: Sendable, Equatable {
        /// The file system is mounted read-only, as one with faults is by itself.
        case readOnly
        /// The directory's mode keeps its own owner from writing.
        case mode
    }

    /// The files and folders of one bundle.
    package static let filesPerBundle = 3

    /// Bytes that programs of the directory's owner may still write.
    package let bytes: Int
    /// Files and folders that may still be made; `nil` if the file system sets no limit.
    package let files: Int?
    /// Why nothing can be written there; `nil` if it can.
    package let refusal: Refusal?

    /// Names what is left.
    package init(bytes: Int, files: Int?, refusal: Refusal? = nil) {
        self.bytes = bytes
        self.files = files
        self.refusal = refusal
    }

    /// Whether a bundle of so many bytes finds room.
    package func takes(_ bundleBytes: Int) -> Bool {
        refusal == nil && bytes >= bundleBytes && files ?? .max >= Self.filesPerBundle
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
            files: status.f_files == 0 ? nil : Int(clamping: UInt64(status.f_favail)),
            refusal: try refusal())
    }

    /// Why nothing can be written in the folder; a fault if that is so for this user only, who does not own it.
    private func refusal() throws(FileFault) -> BundleRoom.Refusal? {
        guard unsafe faccessat(descriptor, ".", W_OK, AT_EACCESS) != 0 else { return nil }
        let fault = FileFault.last("faccessat")
        if fault.code == EROFS { return .readOnly }
        guard fault.code == EACCES, try foreignOwner() == nil else { throw fault }
        return .mode
    }
}
