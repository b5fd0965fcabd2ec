import CaptureModel
import CaptureQueue
import CaptureStore
import TestSupport
import Testing

/// A record in which the row of one device cannot be read.
private struct UnreadableDevice: ForwardingStore {
    let memory: MemoryCaptureStore
    let damaged: DeviceID

    func devices(_ ids: [DeviceID]) async throws(StoreError) -> [DeviceID: Device] {
        if ids.contains(damaged) { throw StoreError(.malformedRow, "an unknown level", scope: .content) }
        return try await memory.devices(ids)
    }
}

@Suite("A device that cannot be read", .timeLimit(.minutes(1)))
struct UnreadableDeviceTests {
    /// There are no bytes of any capture: those whose devices can be read become dead letters.
    @Test(arguments: [0, 3, 6])
    func `a device that cannot be read is found in its batch, and only its lane is put off`(place: Int) async throws {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        var maker = SubmissionMaker(seed: 91)
        let devices = (0..<7).map { _ in maker.device() }
        // Two captures of each: a lane with several is shortened before it is put off.
        let captures = devices.flatMap { device in
            (0..<2).map { _ in maker.submission(of: device, bundleStore: .memory) }
        }
        for capture in captures { #expect(try await queue.enqueue(capture) == .accepted) }
        let store = UnreadableDevice(memory: MemoryCaptureStore(time: time.source), damaged: devices[place])
        let spared = captures.filter { $0.device != devices[place] }.map(\.id)
        let met = captures.filter { $0.device == devices[place] }.map(\.id)
        try await withWorker(of: queue, bundles: MemoryBundleStore(), store: store, now: time.source) {
            try await eventually { try await queue.status(of: spared).allSatisfy { $0?.state == .failed } }
            try await eventually { try await queue.status(of: met)[0]?.state == .retrying }
        }
        #expect(try await queue.status(of: met)[1]?.state == .queued)
    }
}
