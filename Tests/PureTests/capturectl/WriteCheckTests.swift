import FilesystemBundleStore
import Testing

@testable import capturectl

@Suite("The doctor's look at the room for files")
struct WriteCheckTests {
    private static let largest = 15 << 20

    @Test(arguments: [
        (BundleRoom(bytes: 0, files: 1000), "0 B and room for 1000 files"),
        (BundleRoom(bytes: largest - 1, files: nil), "15 MiB"),
        (BundleRoom(bytes: 1 << 40, files: 2), "1 TiB and room for 2 files"),
        (BundleRoom(bytes: 1 << 40, files: 1), "1 TiB and room for 1 file"),
    ])
    func `a bundle directory without room for another of the largest bundles is a problem`(
        room: BundleRoom, left: String
    ) {
        let check = WriteCheck.files(room, bundleBytesMax: Self.largest)
        #expect(check.name == "writes to files" && check.state == .problem)
        #expect(check.found == "the bundle directory is full: it has \(left) left")
        #expect(check.meaning == "uploads get 503; the largest bundle takes 15 MiB and 3 files and folders")
    }

    @Test(arguments: [BundleRoom(bytes: largest, files: 3), BundleRoom(bytes: largest, files: nil)])
    func `a bundle directory with room for another is well, also without a limit on files`(room: BundleRoom) {
        let check = WriteCheck.files(room, bundleBytesMax: Self.largest)
        #expect(check.state == .ok && check.found == "15 MiB are free")
    }

    @Test(arguments: [
        (BundleRoom.Refusal.readOnly, "the bundle directory's file system is mounted read-only"),
        (.mode, "the bundle directory's owner may not write in it"),
    ])
    func `a bundle directory in which nothing can be written is a problem, however much room it has`(
        refusal: BundleRoom.Refusal, found: String
    ) {
        let room = BundleRoom(bytes: 1 << 40, files: nil, refusal: refusal)
        let check = WriteCheck.files(room, bundleBytesMax: Self.largest)
        #expect(!room.takes(1) && check.state == .problem && check.found == found)
        #expect(check.meaning == "uploads are refused, however much room is left")
    }
}
