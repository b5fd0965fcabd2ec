import CaptureModel

/// Which captures were met in the lanes of a partition, and which should be there, as their jobs say.
///
/// What is in the one and not in the other is wrong, or has come or gone meanwhile. It holds two sets of ids, each of
/// which the queue's limit bounds (`queue.capturesMax`): some ten megabytes for 100,000 captures.
struct LaneEntries {
    private var met: [DeviceID: Set<CaptureID>] = [:]
    private var expected: [DeviceID: Set<CaptureID>] = [:]

    /// Notes captures that are in a lane.
    mutating func note(_ captures: [CaptureID], in device: DeviceID) {
        met[device, default: []].formUnion(captures)
    }

    /// Notes that a capture should be in a lane.
    mutating func expect(_ capture: CaptureID, in device: DeviceID) {
        expected[device, default: []].insert(capture)
    }

    /// The captures that are in a lane and should not be, or the other way round, by lane.
    var suspects: [DeviceID: Set<CaptureID>] {
        var suspects: [DeviceID: Set<CaptureID>] = [:]
        for device in Set(met.keys).union(expected.keys) {
            let different = met[device, default: []].symmetricDifference(expected[device, default: []])
            if !different.isEmpty { suspects[device] = different }
        }
        return suspects
    }
}
