package import Foundation

/// A new directory that goes with whoever holds on to it, however that ends.
///
/// A shell of its own watches a pipe from this process and removes the directory when the pipe closes: when this is
/// released, and when the process is gone, killed too. So a server may be ended and started again in it as often as its
/// owner likes, and what an owner keeps to the end of its process leaves nothing behind.
package final class LeashedDirectory: Sendable {
    /// Where it is.
    package let url: URL
    /// The writing end of the leash.
    private let leashEnd: Int32

    /// A server in the directory is killed at about the same moment, and may write for as long as it takes it to die.
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
        // The shell itself ends at once, and leaves the watch to one that nobody has to wait for.
        Thread.detachNewThread { _ = Spawn.reap(shell.processID) }
    }

    deinit {
        close(leashEnd)
    }
}
