package import CaptureModel

/// The ledger of accepted captures: a row for each, committed before the gateway answers with 202.
///
/// A row is open until its capture has a result; the transaction that writes the result closes it, or, where the row was
/// recorded again at that moment, whoever claims it. From the open rows a queue that has lost data is made whole again.
/// Closed rows stay for as long as a bundle that is sent again must be recognised; one whose bundle the result itself
/// tells of may go with it.
package protocol IntakeLedger: Sendable {
    /// Records uploads in one transaction; tells for each, in order, under which id its bundle is accepted.
    ///
    /// Their `receivedAt` is set. Recording the same upload again is harmless.
    func record(_ submissions: [CaptureSubmission]) async throws(StoreError) -> [IntakeOutcome]

    /// Takes open rows back whose captures the queue did not take, unless somebody has claimed them; tells how many.
    ///
    /// The bundle may be sent again and is new then. A claimed one may be in the queue: its row and bytes stay.
    func withdraw(_ captures: [CaptureID]) async throws(StoreError) -> Int

    /// Has a capture's open row, unless somebody has claimed it, be that of another capture of the same bundle; tells
    /// whether it is.
    ///
    /// The queue has that one, and it has neither a row nor a result: it was handed off by somebody else, or the record is
    /// an older one.
    func handRow(of capture: CaptureID, to other: CaptureID) async throws(StoreError) -> Bool

    /// Deletes open rows, claimed or not, whose captures an operator has discarded; tells how many.
    ///
    /// The bundle may be sent again and is new then.
    func discard(_ captures: [CaptureID]) async throws(StoreError) -> Int

    /// The open rows after a place, in the order of acceptance.
    /// - Parameters:
    ///   - after: The last place that was read; 0 for the first page.
    ///   - age: How long ago a row was recorded at least; at zero all rows, whatever the clock says.
    ///   - limit: How many at most.
    func openIntake(
        after place: Int64, olderThan age: Duration, limit: Int
    ) async throws(StoreError) -> [OpenIntake]

    /// Marks those of some captures whose rows are open, and returns everything on them in the order of acceptance.
    ///
    /// Whoever enqueues a capture from its row claims it first; from then on its row cannot be withdrawn. An open row
    /// whose capture has a result is closed instead: there is nothing to enqueue.
    func claim(_ captures: [CaptureID]) async throws(StoreError) -> [IntakeEntry]

    /// Everything on those of some captures whose rows are open, for whoever only looks.
    func entries(of captures: [CaptureID]) async throws(StoreError) -> [IntakeEntry]

    /// What is known of captures whether their rows are open or closed; those without a row, such as verified ones, are
    /// missing.
    func accepted(_ captures: [CaptureID]) async throws(StoreError) -> [CaptureID: AcceptedIntake]

    /// Notes that captures were seen among the dead letters.
    func noteDead(_ captures: [CaptureID]) async throws(StoreError)

    /// Deletes rows that were closed longer ago than a time, at most so many; tells how many.
    func purge(closedFor age: Duration, limit: Int) async throws(StoreError) -> Int

    /// Runs a body while no other process does; `nil` without having run it when one does.
    ///
    /// It spares work. Nothing depends on it: the process may lose its connection while the body runs.
    func exclusively<Value: Sendable>(_ body: @Sendable () async -> Value) async throws(StoreError) -> Value?
}

/// Under which id a bundle is accepted.
package enum IntakeOutcome: Sendable, Equatable {
    /// Under the id that was given.
    case recorded
    /// Under that of the first time it was sent.
    case earlier(CaptureID, IntakeStanding)
    /// The row that stood against it was withdrawn at this very moment: record it again.
    case contested
}

/// How far a capture is whose bundle was recorded before.
package enum IntakeStanding: Sendable, Equatable {
    /// It has no result, and nobody but the gateway that recorded it has tried to enqueue it.
    case waiting
    /// It has no result, and was enqueued again from its row, or is being; its bytes may be gone.
    case claimed
    /// It has a result.
    case closed
}

/// The outline of an open row.
package struct OpenIntake: Sendable, Equatable {
    /// Its place in the order of acceptance.
    package let place: Int64
    /// The capture.
    package let capture: CaptureID
    /// Its device.
    package let device: DeviceID
    /// Whether it was seen among the dead letters.
    package let isDead: Bool

    /// Memberwise.
    package init(place: Int64, capture: CaptureID, device: DeviceID, isDead: Bool) {
        self.place = place
        self.capture = capture
        self.device = device
        self.isDead = isDead
    }
}

/// An open row with everything that the queue needs.
package struct IntakeEntry: Sendable, Equatable {
    /// What the gateway hands to the queue.
    package let submission: CaptureSubmission
    /// Whether it was seen among the dead letters.
    package let isDead: Bool

    /// Memberwise.
    package init(submission: CaptureSubmission, isDead: Bool) {
        self.submission = submission
        self.isDead = isDead
    }
}

/// What the ledger tells of an accepted capture.
package struct AcceptedIntake: Sendable, Equatable {
    /// Its device.
    package let device: DeviceID
    /// When the gateway had the bundle.
    package let receivedAt: Timestamp
    /// Whether it waits for its result.
    package let isOpen: Bool

    /// Memberwise.
    package init(device: DeviceID, receivedAt: Timestamp, isOpen: Bool) {
        self.device = device
        self.receivedAt = receivedAt
        self.isOpen = isOpen
    }
}
