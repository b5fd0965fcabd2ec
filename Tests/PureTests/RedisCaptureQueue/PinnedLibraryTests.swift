import CaptureModel
import RedisCaptureQueue
import Testing

/// Programs that run tell libraries apart by their version alone.
@Suite("The version of the function library")
struct PinnedLibraryTests {
    /// After a change: raise `LIBRARY_VERSION` in prelude.lua, and write both down here.
    private static let pinned = "49 bf2bd75a78b5c14ce5b32b10072a15b3fac0aa846ae2041d5980785e8652e243"

    /// Of two libraries with one version each start would replace the other's, and nothing would put it right.
    @Test func `a change of the functions raises it`() {
        let library = FunctionLibrary.current
        let digest = SHA256Digest.hash(Array(library.source.utf8))
        #expect("\(library.version) \(digest.hex)" == Self.pinned)
    }
}
