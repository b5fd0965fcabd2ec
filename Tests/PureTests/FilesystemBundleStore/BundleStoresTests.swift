import CaptureModel
import CaptureQueue
import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite("Each capture's bytes are fetched from where its job says")
struct BundleStoresTests {
    private static let media = CaptureMedia(photo: ByteBuffer(bytes: [1]), depth: ByteBuffer(bytes: [2]))

    private func submissions(_ stores: [BundleStoreName]) -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: 1)
        let device = maker.device()
        return stores.map { maker.submission(of: device, bundleStore: $0) }
    }

    @Test func `two stores are one, in the order asked`() async throws {
        let folder = try await BundleFolder()
        let stores = BundleStores(primary: folder.store, others: [MemoryBundleStore()])
        #expect(stores.name == .filesystem)
        let names: [BundleStoreName] = [.filesystem, .memory, .redis]
        #expect(names.map { stores.holds($0) } == [true, true, false])
        let captures = submissions([.filesystem, .memory, .filesystem, .memory])
        for capture in captures.dropLast() { try await stores.put(Self.media, of: capture) }
        let expected: [FetchedMedia] = [.found(Self.media), .found(Self.media), .found(Self.media), .missing]
        #expect(try await stores.fetch(captures) == expected)
        try await stores.removeSettled(captures.map(\.id))
        #expect(try await stores.fetch(captures) == Array(repeating: .missing, count: 4))
    }

    @Test func `bytes in a store that is not configured are not missing`() async throws {
        let stores = BundleStores(primary: MemoryBundleStore())
        let captures = submissions([.memory, .filesystem])
        try await stores.put(Self.media, of: captures[0])
        let fetched = try await stores.fetch(captures)
        #expect(fetched[0] == .found(Self.media))
        guard case .unreadable(let why) = fetched[1] else { throw LeashedProcess.Failure(description: "\(fetched)") }
        #expect(why.contains("the store filesystem, which this program is not configured for"))
        await #expect(throws: QueueError(.refused, "")) { try await stores.put(Self.media, of: captures[1]) }
    }

    @Test func `no bytes are taken before the servers have been looked at`() async throws {
        let isOpen = Mutex(false)
        let stores = BundleStores(primary: MemoryBundleStore()) { isOpen.withLock { $0 } }
        let capture = submissions([.memory])[0]
        await #expect(throws: QueueError(.starting, "")) { try await stores.put(Self.media, of: capture) }
        isOpen.withLock { $0 = true }
        try await stores.put(Self.media, of: capture)
    }
}
