package import CaptureModel
import TestSupport

/// A fault that happened.
package struct FaultRecord: Sendable {
    /// What happened.
    package let fault: Fault
    /// When it began.
    package let began: Timestamp
    /// When whatever it broke was whole again.
    package let ended: Timestamp
}

/// Carries a schedule out.
struct FaultInjector: Sendable {
    let stage: Stage
    let say: @Sendable (String) -> Void

    /// Lets each fault happen at its time, and returns when the last is over.
    ///
    /// Faults overlap; one that would meet what is broken already is left out.
    func carryOut(_ schedule: FaultSchedule) async throws -> [FaultRecord] {
        let start = ContinuousClock.now
        let busy = Busy()
        return try await withThrowingTaskGroup(of: FaultRecord?.self) { group in
            for planned in schedule.faults {
                try await letTimePass(start + planned.at - .now)
                group.addTask { try await cause(planned, busy) }
            }
            var records: [FaultRecord] = []
            for try await record in group { if let record { records.append(record) } }
            return records.sorted { $0.began < $1.began }
        }
    }

    private func cause(_ planned: PlannedFault, _ busy: Busy) async throws -> FaultRecord? {
        let subjects = planned.fault.subjects
        guard await busy.take(subjects) else {
            say("\(planned.at.text): left out: \(planned.fault)")
            return nil
        }
        say("\(planned.at.text): \(planned.fault)")
        let began = Timestamp.systemTime()
        try await stage.suffer(planned.fault)
        let record = FaultRecord(fault: planned.fault, began: began, ended: Timestamp.systemTime())
        await busy.giveBack(subjects)
        return record
    }
}

/// What is broken at the moment.
private actor Busy {
    private var subjects: Set<String> = []

    func take(_ wanted: Set<String>) -> Bool {
        guard subjects.isDisjoint(with: wanted) else { return false }
        subjects.formUnion(wanted)
        return true
    }

    func giveBack(_ done: Set<String>) { subjects.subtract(done) }
}
