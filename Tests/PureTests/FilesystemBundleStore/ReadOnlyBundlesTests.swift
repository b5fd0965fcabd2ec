import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@testable import FilesystemBundleStore

@Suite("A bundle directory in which nothing can be written has no room", .timeLimit(.minutes(2)))
struct ReadOnlyBundlesTests {
    @Test(.enabled(if: geteuid() == 0, "only root may mount"))
    func `its file system is mounted read-only`() async throws {
        let folder = try await BundleFolder()
        let path = folder.directory.path
        // A container's root may not either.
        guard try await LeashedProcess.run("mount", ["--bind", "-o", "ro", path, path]).exitCode == 0 else {
            try Test.cancel("this machine's root may not mount")
        }
        let room = try? await folder.store.room()
        _ = try await LeashedProcess.run("umount", [path])
        #expect(room?.refusal == .readOnly && room?.takes(1) == false)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write whatever the mode is"))
    func `its mode keeps its owner from writing`() async throws {
        let folder = try await BundleFolder()
        let path = folder.directory.path
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: path)
        let room = try? await folder.store.room()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        #expect(room?.refusal == .mode && room?.takes(1) == false)
    }
}
