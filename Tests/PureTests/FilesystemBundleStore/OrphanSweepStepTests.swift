import CaptureModel
import CaptureProcessing
import CaptureQueue
import Logging
import Synchronization
import TestSupport
import Testing

@testable import FilesystemBundleStore

@Suite("A sweep goes in small steps", .timeLimit(.minutes(2)))
struct OrphanSweepStepTests {
    @Test func `one step looks at a bounded number, and the next goes on after it`() async throws {
        let folder = try await BundleFolder()
        let part = 7
        let captures = try await put(5, inPart: part, of: folder)
        let asked = Mutex<[[CaptureID]]>([])
        var configuration = OrphanSweeper.Configuration(age: .zero, unknownAge: .zero)
        configuration.pageMax = 2
        let sweeper = OrphanSweeper(
            bundles: folder.store, queue: MemoryCaptureQueue(time: Timestamp.systemTime),
            standings: { page in
                asked.withLock { $0.append(page) }
                return [:]
            }, configuration: configuration, start: SweepPosition(part: part), logger: .quiet)
        var position = SweepPosition(part: part)
        repeat { position = try await sweeper.step(from: position) } while position != SweepPosition(part: part)
        #expect(asked.withLock { $0 } == [Array(captures[0..<2]), Array(captures[2..<4]), Array(captures[4...])])
        #expect(try folder.contents() == [])
    }

    /// Stores captures in one of the 256 folders, in the order of their names.
    private func put(_ count: Int, inPart part: Int, of folder: BundleFolder) async throws -> [CaptureID] {
        var maker = SubmissionMaker(seed: 5)
        let device = maker.device()
        var captures: [CaptureID] = []
        for number in 0..<count {
            let digits = "\(number)\(BundleDirectory.shards[part])"
            let id = try #require(CaptureID("01a1fc67-55f8-7b2b-980e-88715a91d\(digits)"))
            captures.append(id)
            try await folder.store.put(BundleFolder.media, of: maker.submission(of: device, id: id))
        }
        return captures
    }
}
