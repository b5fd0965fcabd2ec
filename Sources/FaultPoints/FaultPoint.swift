/// A step from upload to acknowledged at which a test run may have a program killed.
///
/// `CrashPointTests` goes through all of them: a new one is tested as soon as it is listed here.
public enum FaultPoint: String, CaseIterable, Sendable {
    /// The gateway has stored a bundle's bytes; nothing refers to them yet.
    case afterBytesStored = "after-bytes-stored"
    /// The gateway has recorded the capture in the ledger; the queue knows nothing of it.
    case afterIntake = "after-intake"
    /// The gateway has queued the capture; the client has no answer yet.
    case afterEnqueue = "after-enqueue"
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

    /// Which program reaches a point.
    public enum Program: Sendable {
        /// `capture-gateway`.
        case gateway
        /// `capture-worker`.
        case worker
    }

    /// The program that reaches it.
    public var program: Program {
        switch self {
        case .afterBytesStored, .afterIntake, .afterEnqueue: .gateway
        case .afterClaim, .afterFetch, .afterVerify, .beforeCommit, .afterCommit, .insideSettle, .afterSettle: .worker
        }
    }
}
