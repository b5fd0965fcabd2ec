package import CaptureModel

/// A step from upload to acknowledged at which a test run may have a program killed.
///
/// `CrashPointTests` goes through all points that every capture passes: a new one is tested as soon as it is listed
/// here. Points that are reached only after some other event are tested by `CrossStoreTests`.
package enum FaultPoint: String, CaseIterable, Sendable {
    /// The gateway has stored a bundle's bytes; nothing refers to them yet.
    case afterBytesStored = "after-bytes-stored"
    /// The gateway has recorded the capture in the ledger; the queue knows nothing of it.
    case afterIntake = "after-intake"
    /// The gateway has queued the capture; the client has no answer yet.
    case afterEnqueue = "after-enqueue"
    /// The gateway has claimed the row of a bundle's earlier upload; the queue does not know.
    case afterClaimRow = "after-claim-row"
    /// The gateway has withdrawn the row of a capture that the queue refused; its bytes are still there.
    case afterWithdraw = "after-withdraw"
    /// The gateway has claimed the rows of captures that the queue has lost; none of them is put back.
    case insideRestore = "inside-restore"
    /// The worker holds lanes and has begun none of their captures.
    case afterClaim = "after-claim"
    /// The worker has a batch's bytes and keys in memory.
    case afterFetch = "after-fetch"
    /// The worker has a finding for every capture of a batch.
    case afterVerify = "after-verify"
    /// The worker is about to send the statement that settles a batch in the record.
    case beforeCommit = "before-commit"
    /// The record has settled a batch; the queue does not know yet.
    case afterCommit = "after-commit"
    /// The command that gives lanes back is written; its answer is not read.
    case insideSettle = "inside-settle"
    /// The lanes are given back; the worker has done nothing else since.
    case afterSettle = "after-settle"

    /// The program that reaches it.
    package var program: ProgramName {
        switch self {
        case .afterBytesStored, .afterIntake, .afterEnqueue, .afterClaimRow, .afterWithdraw, .insideRestore: .gateway
        case .afterClaim, .afterFetch, .afterVerify, .beforeCommit, .afterCommit, .insideSettle, .afterSettle: .worker
        }
    }
}
