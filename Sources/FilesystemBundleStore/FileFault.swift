import CaptureQueue
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Why the system did not do what was asked of a file.
struct FileFault: Error, Equatable {
    /// The system call.
    let call: String
    /// The system's code.
    let code: Int32
    /// What is behind it and what to do, where that is known.
    var advice: String?

    /// The fault of the call that has just failed.
    static func last(_ call: String) -> FileFault { FileFault(call: call, code: errno) }

    /// Whether there is no such file or folder.
    var isMissing: Bool { code == ENOENT }
    /// Whether it is there already.
    var isThere: Bool { code == EEXIST }

    /// What the code means, in the system's words.
    var reason: String {
        let words = unsafe "\(String(cString: strerror(code))) (\(call))"
        return advice.map { "\(words); \($0)" } ?? words
    }

    /// What it means for whoever wanted bytes stored or fetched.
    var queueError: QueueError {
        switch code {
        case ENOSPC, EDQUOT:
            QueueError(.unavailable, "the bundle directory is full: \(reason)", isRefusal: true)
        // As a disk with faults is mounted anew by itself, and as servers are that take no writes for now.
        case EROFS:
            QueueError(.unavailable, "the bundle directory takes no writes: \(reason)", isRefusal: true)
        case EACCES, EPERM, ELOOP, ENOTDIR, ENAMETOOLONG:
            QueueError(.refused, "the bundle directory cannot be used: \(reason)")
        default: QueueError(.unavailable, "the bundle directory does not answer: \(reason)")
        }
    }
}

/// A step on the file system, told before it is taken.
///
/// Tests note the order of steps, and make one fail.
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

/// Told of every step that changes something, and of what a worker waits for; throws to make it fail.
typealias FileProbe = @Sendable (FileStep) throws(FileFault) -> Void
