import CaptureQueue

/// Chooses the suspects that are worked together while nothing else is under way.
///
/// Most workers are lost through no capture's fault, with hundreds of captures in flight. One by one, each with a
/// transaction, these would take many seconds. If one is the culprit, the few others of its group lose their worker
/// once more.
enum SuspectGroup {
    /// The most captures of one group; a single lease may bring as many.
    static let capturesMax = 16

    /// The first of some suspects with those that may be worked beside it, and all the others.
    static func first(of suspects: [Lease]) -> (group: [Lease], rest: [Lease]) {
        guard let first = suspects.first else { return ([], []) }
        guard first.suspicion == .slight else { return ([first], Array(suspects.dropFirst())) }
        var (group, rest): ([Lease], [Lease]) = ([], [])
        var captures = 0
        for lease in suspects {
            if lease.suspicion == .slight, group.isEmpty || captures + lease.jobs.count <= capturesMax {
                captures += lease.jobs.count
                group.append(lease)
            } else {
                rest.append(lease)
            }
        }
        return (group, rest)
    }
}
