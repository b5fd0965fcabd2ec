import CaptureQueue
import FoundationEssentials
import Glibc

/// Why a system call on a file failed.
struct FileFault: Error, Equatable {
    /// The system call.
    let call: String
    /// The system's code.
    let code: Int32
    /// The cause and the remedy, where they are known.
    var advice: String?

    /// The fault of the call that has just failed.
    static func last(_ call: String) -> FileFault { FileFault(call: call, code: errno) }

    /// Whether there is no such file or folder.
    var isMissing: Bool { code == ENOENT }
    /// Whether it is there already.
    var isThere: Bool { code == EEXIST }

    /// Whether the program or its machine lacks what any file needs: descriptors or memory.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

    /// What the code means, in the system's words.
    var reason: String {
        let words = unsafe "\(String(cString: strerror(code))) (\(call))"
        return advice.map { "\(words); \($0)" } ?? words
    }

    /// The fault as an error of storing or fetching bytes.
    var bundleFault: QueueError {
        switch code {
        case _ where isShortage:
            QueueError(.unavailable, "this program cannot use the bundle directory: \(reason)", of: .bundles)
        case ENOSPC, EDQUOT:
            QueueError(.unavailable, "the bundle directory is full: \(reason)", of: .bundles, isRefusal: true)
        // A disk with faults is remounted read-only by itself, and some servers take no writes for a while.
        case EROFS:
            QueueError(.unavailable, "the bundle directory takes no writes: \(reason)", of: .bundles, isRefusal: true)
        case EACCES, EPERM, ELOOP, ENOTDIR, ENAMETOOLONG:
            QueueError(.refused, "the bundle directory cannot be used: \(reason)", of: .bundles)
        default: QueueError(.unavailable, "the bundle directory does not answer: \(reason)", of: .bundles)
        }
    }
}

/// A step on the file system, reported before it is taken.
///
/// Tests record the order of steps, and make a step fail.
enum FileStep: Sendable, Equatable {
    case makeFolder(String)
    case create(String)
    case write(String)
    case syncFile(String)
    case give(String)
    case link(String)
    case rename(String)
    case syncFolder(String)
    case stamp(String)
    case removeFile(String)
    case removeFolder(String)
    /// Before a capture's files are read.
    case read(String)
    /// Before the names in a folder of captures are read.
    case list(String)
}

/// Called before every step that changes something or that a worker waits for; throws to make the step fail.
typealias FileProbe = @Sendable (FileStep) throws(FileFault) -> Void
