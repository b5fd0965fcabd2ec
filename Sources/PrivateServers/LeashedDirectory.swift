package import Foundation

/// A new directory that is removed when its owner releases it, or when this process ends in any way.
///
/// A shell of its own watches a pipe from this process and removes the directory when the pipe closes. The pipe closes
/// when this object is released, and when the process ends, even by a kill. So a server may be stopped and started
/// again in it as often as its owner likes, and an owner that lives as long as its process leaves nothing behind.
package final class LeashedDirectory: Sendable {
    /// The place of the directory.
    package let url: URL
    /// The writing end of the leash.
    private let leashEnd: Int32

    /// A server in the directory is killed at about the same moment, and may still write until it is dead.
    private static let leash = """
        exec 3<&0 >/dev/null 2>&1
        (
            read nothing <&3
            tries=0
            while [ -e "$1" ] && [ $tries -lt 300 ]; do
                rm -rf -- "$1" || sleep 0.1
                tries=$((tries + 1))
            done
        ) &
        """

    /// Makes one, as ``TemporaryDirectory/make(_:)`` does.
    package init(_ purpose: String) throws {
        url = try TemporaryDirectory.make(purpose)
        let shell = try Spawn.start(
            ["/bin/sh", "-c", Self.leash, "sh", url.path], environment: ProcessInfo.processInfo.environment)
        leashEnd = shell.input
        close(shell.output)
        // The shell itself ends at once, and leaves a background process to watch, for which nobody waits.
        Thread.detachNewThread { _ = Spawn.reap(shell.processID) }
    }

    deinit {
        close(leashEnd)
    }
}
