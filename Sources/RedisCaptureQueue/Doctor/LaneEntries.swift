import CaptureModel

/// The captures found in the lanes of a partition, and those that should be there according to their jobs.
///
/// A capture in only one of the two sets is wrong, or has come or gone meanwhile. `queue.capturesMax` bounds each set:
/// some ten megabytes for 100,000 captures.
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

    /// The captures that are in a lane wrongly, or are missing from it, by lane.
    var suspects: [DeviceID: Set<CaptureID>] {
        var suspects: [DeviceID: Set<CaptureID>] = [:]
        for device in Set(met.keys).union(expected.keys) {
            let different = met[device, default: []].symmetricDifference(expected[device, default: []])
            if !different.isEmpty { suspects[device] = different }
        }
        return suspects
    }
}
