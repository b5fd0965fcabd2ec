package import CaptureModel

/// The ledger of accepted captures: a row for each, committed before the gateway answers with 202.
///
/// A row is open until its capture has a result. The transaction that writes the result closes the row; if the row was
/// recorded again or reinstated at that moment, the next claim closes it. The open rows restore a queue that has lost
/// data. A closed row stays for as long as a repeated upload of its bundle must be recognised; it may go with the
/// result if the result itself identifies the bundle.
package protocol IntakeLedger: Sendable {
    /// Records uploads in one transaction; returns for each, in order, under which id its bundle is accepted.
    ///
    /// Their `receivedAt` is set. Recording the same upload again is harmless.
    /// - Parameter lockWait: How long it waits at most for a row that somebody else is changing; `nil`: as long as such
    ///   a change takes.
    /// - Throws: ``StoreError`` with code `conflict` if the row is not free by then; nothing is recorded.
    func record(
        _ submissions: [CaptureSubmission], lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome]

    /// Records uploads without a good signature, for which the ledger has named verified captures.
    ///
    /// Such a capture has the same key, counter, media and metadata, and another assertion. The upload does not repeat
    /// it, so only the upload's bundle digest counts here. The rest is as with other uploads.
    func record(
        byDigestAlone submissions: [CaptureSubmission], lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome]

    /// Deletes the open, unclaimed row of a capture that the queue did not take; returns whether it did.
    ///
    /// The bundle may be sent again and is new then. A claimed capture may be in the queue: its row and bytes stay.
    func withdraw(_ capture: CaptureID) async throws(StoreError) -> Bool

    /// Passes a capture's open row to another capture of the same bundle, as one that nobody has claimed; returns
    /// whether it did.
    ///
    /// The queue has the other capture, which has neither a row nor a result: another client handed it off, or the
    /// record is an older one. As long as the bundle leads there, nobody who has claimed the row enqueues its capture.
    /// - Parameters:
    ///   - capture: The capture of the later upload.
    ///   - other: The capture that the queue has.
    ///   - receivedAt: When the queue had that one, by its word: the row gets this time, unless its own is earlier. When
    ///     it was recorded stays, and settling lets the capture be no more than ten minutes older than that.
    func passRow(
        of capture: CaptureID, to other: CaptureID, receivedAt: Timestamp
    ) async throws(StoreError) -> Bool

    /// Deletes the open row, claimed or not, of a capture that an operator discards, or in whose place there is another
    /// one of the same bundle; returns it as it was.
    ///
    /// The bundle may be sent again and is new then.
    func discard(_ capture: CaptureID) async throws(StoreError) -> IntakeEntry?

    /// Reinstates the row, as it was, of a capture that was not discarded after all.
    ///
    /// Its place and its times stay, so that it is put back in its order, and not called younger than a revocation of
    /// its device. A row whose place is not known gets the next one. If the capture was recorded again meanwhile, that
    /// row gets the times; a closed one stays as it is.
    /// - Throws: ``StoreError`` with code `refused` if the bundle was recorded as another capture meanwhile.
    func reinstate(_ row: IntakeEntry) async throws(StoreError)

    /// The open rows after a place, in the order of acceptance.
    /// - Parameters:
    ///   - after: The last place that was read; 0 for the first page.
    ///   - age: The least time since a row was recorded; at zero all rows, whatever the clock says. A row that lies more
    ///     than a second ahead of the clock is told at any age: the clock was set back since.
    ///   - limit: How many at most.
    func openIntake(
        after place: Int64, olderThan age: Duration, limit: Int
    ) async throws(StoreError) -> [OpenIntake]

    /// The place of the newest open row; 0 if there is none.
    func newestPlace() async throws(StoreError) -> Int64

    /// Claims the open rows among some captures'.
    ///
    /// A capture is claimed before it is enqueued from its row; from then on the row cannot be withdrawn. If the
    /// capture of an open row has a result, the row is closed instead: there is nothing to enqueue. A row that somebody
    /// else keeps locked holds up no other one for longer than a moment.
    func claim(_ captures: [CaptureID]) async throws(StoreError) -> IntakeClaim

    /// Reads the open rows among some captures' without claiming them.
    func entries(of captures: [CaptureID]) async throws(StoreError) -> [IntakeEntry]

    /// Reads the rows of captures, open or closed; captures without a row, such as verified ones, are missing.
    func accepted(_ captures: [CaptureID]) async throws(StoreError) -> [CaptureID: AcceptedIntake]

    /// Notes that captures were seen among the dead letters, but for those whose rows somebody else has locked.
    func noteDead(_ captures: [CaptureID]) async throws(StoreError)

    /// Deletes up to `limit` rows that were closed longer ago than `age`; returns how many.
    func purge(closedFor age: Duration, limit: Int) async throws(StoreError) -> Int

    /// Runs a body while no other process does; returns `nil`, without running it, when one does.
    ///
    /// It only saves work. Correctness does not depend on it: the process may lose its connection while the body runs,
    /// and the body's value is returned all the same.
    func exclusively<Value: Sendable>(_ body: @Sendable () async -> Value) async throws(StoreError) -> Value?
}

extension IntakeLedger {
    /// Records uploads, and waits for a row that somebody else is changing as long as such a change takes.
    package func record(_ submissions: [CaptureSubmission]) async throws(StoreError) -> [IntakeOutcome] {
        try await record(submissions, lockWait: nil)
    }
}
