import CaptureModel

/// The captures found in the lanes of a partition, and those that should be there according to their jobs.
///
/// A capture in only one of the two sets is wrong, or has come or gone meanwhile. One that was met twice in a lane is
/// there twice, or the lane grew while it was read. `queue.capturesMax` bounds each set: some ten megabytes for 100,000
/// captures.
struct LaneEntries {
    private var met: [DeviceID: Set<CaptureID>] = [:]
    private var repeated: [DeviceID: Set<CaptureID>] = [:]
    private var expected: [DeviceID: Set<CaptureID>] = [:]

    /// Notes captures that are in a lane.
    mutating func note(_ captures: [CaptureID], in device: DeviceID) {
        for capture in captures where !met[device, default: []].insert(capture).inserted {
            repeated[device, default: []].insert(capture)
        }
    }

    /// Notes that a capture should be in a lane.
    mutating func expect(_ capture: CaptureID, in device: DeviceID) {
        expected[device, default: []].insert(capture)
    }

    /// The captures that are in a lane wrongly or twice, or are missing from it, by lane.
    var suspects: [DeviceID: Set<CaptureID>] {
        var suspects: [DeviceID: Set<CaptureID>] = [:]
        for device in Set(met.keys).union(expected.keys) {
            var different = met[device, default: []].symmetricDifference(expected[device, default: []])
            different.formUnion(repeated[device, default: []])
            if !different.isEmpty { suspects[device] = different }
        }
        return suspects
    }
}
