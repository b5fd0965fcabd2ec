import Foundation
import Glibc
import TestSupport
import Testing

@testable import FilesystemBundleStore

@Suite("A bundle directory in which nothing can be written has no room", .timeLimit(.minutes(2)))
struct ReadOnlyBundlesTests {
    /// The mount is in a namespace of a child's own, which ends with the child: no mount is left, however a test ends.
    @Test(.enabled(if: geteuid() == 0, "only root may mount"))
    func `its file system is mounted read-only`() async throws {
        let folder = try await BundleFolder()
        let path = folder.directory.path
        let mount = ["--mount", "mount", "--bind", "-o", "ro", path, path]
        // A container's root may not either.
        guard try await LeashedProcess.run("unshare", mount).exitCode == 0 else {
            try Test.cancel("this machine's root may not mount")
        }
        let script = #"mount --bind -o ro "$1" "$1" && echo "mounted in $$" && exec tail -f /dev/null"#
        let child = try LeashedProcess("unshare", ["--mount", "sh", "-c", script, "sh", path])
        let number = try #require(try await child.line(containing: "mounted in ").split(separator: " ").last)
        let room = try await FilesystemBundleStore(directory: "/proc/\(number)/root\(path)").room()
        #expect(room.refusal == .readOnly && !room.takes(1))
        try await child.kill()
    }

    @Test(.enabled(if: geteuid() != 0, "root may write whatever the mode is"))
    func `its mode keeps its owner from writing`() async throws {
        let folder = try await BundleFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.directory.path)
        // Else it could not be removed.
        defer { chmod(folder.directory.path, 0o700) }
        let room = try await folder.store.room()
        #expect(room.refusal == .mode && !room.takes(1))
    }
}
