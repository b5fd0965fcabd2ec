public import CaptureModel
import FoundationEssentials

/// A queue whose lost captures can be put back from a ledger of what was accepted.
///
/// A queue may lose data: it is flushed, a failover drops the last writes, a restart comes without the file. Each
/// partition carries a mark that does not survive any of these. While it is missing, what gateways with a ledger
/// enqueue is answered ``QueueError/Code/restoring``, so that no capture comes before the lost ones of its device.
///
/// ```swift
/// let mark = try await queue.beginRestoration(of: 0, mark: newMark).mark
/// _ = try await queue.restore(lost, in: 0, under: mark)
/// let restoration = try await queue.finishRestoration(of: 0, mark: mark)
/// ```
public protocol RestorableQueue: Sendable {
    /// The partition that a device's captures are in.
    func partition(of device: DeviceID) -> Int

    /// Where each partition stands, in order.
    func restorations() async throws(QueueError) -> [Restoration]

    /// Begins to restore a partition, or joins the restoration that is under way; tells where it stands then.
    func beginRestoration(of partition: Int, mark: RestorationMark) async throws(QueueError) -> Restoration

    /// Ends a restoration, unless its mark was lost in the meantime; tells where the partition stands then.
    func finishRestoration(of partition: Int, mark: RestorationMark) async throws(QueueError) -> Restoration

    /// What the queue knows of captures, in the order asked.
    func presence(of captures: [(capture: CaptureID, device: DeviceID)]) async throws(QueueError) -> [Presence]

    /// Which captures of a partition died after a place in the order of their deaths, at most so many; from the first
    /// dead letter on where no place is given.
    func deaths(
        in partition: Int, after place: DeadLetter.Position?, limit: Int
    ) async throws(QueueError) -> [DeadLetter.Position]

    /// Puts captures of one partition back, in the order given and beyond all limits; those that the
    /// queue knows stay as they are.
    /// - Throws: ``QueueError/Code/restoring`` when the mark is not in force any more. What was put back until then is
    ///   a beginning of the captures, without a gap.
    func restore(
        _ captures: [LostCapture], in partition: Int, under mark: RestorationMark
    ) async throws(QueueError) -> [RestoreOutcome]
}

/// Tells restorations apart: a UUID in its canonical form, never used twice.
public struct RestorationMark: Hashable, Sendable, CustomStringConvertible {
    /// As the queue keeps it.
    public let text: String

    /// Takes over what the queue wrote.
    public init(text: String) {
        self.text = text
    }

    /// Makes a new one.
    public static func make(using generator: inout some RandomNumberGenerator) -> RestorationMark {
        RestorationMark(text: UUID.random(using: &generator).canonicalText)
    }

    /// As the queue keeps it.
    public var description: String { text }
}

/// Where a partition stands.
public enum Restoration: Sendable, Equatable {
    /// Data may have been lost.
    case unmarked
    /// Lost captures are being put back under this mark.
    case restoring(RestorationMark)
    /// It has everything that was accepted.
    case restored(RestorationMark)

    /// The mark in force.
    public var mark: RestorationMark? {
        switch self {
        case .unmarked: nil
        case .restoring(let mark), .restored(let mark): mark
        }
    }

    /// Whether gateways with a ledger may enqueue.
    public var isRestored: Bool {
        if case .restored = self { true } else { false }
    }
}

/// What the queue knows of a capture.
public enum Presence: Sendable, Equatable {
    /// Nothing.
    case unknown
    /// It waits, is worked or was settled not long ago.
    case known
    /// It is a dead letter.
    case dead
}

/// A capture that the queue has lost.
public struct LostCapture: Sendable, Equatable {
    /// What the gateway had handed over.
    public let submission: CaptureSubmission
    /// Whether it had been a dead letter, so that it says that it is redriven.
    public let isRedriven: Bool

    /// Puts the two together.
    public init(submission: CaptureSubmission, isRedriven: Bool) {
        self.submission = submission
        self.isRedriven = isRedriven
    }
}

/// What became of a capture that was to be put back.
public enum RestoreOutcome: Sendable, Equatable {
    /// It is in its lane again.
    case restored
    /// It is in its lane again, but its bytes are gone: it ends as `BUNDLE_MISSING`.
    case lost
    /// The queue knew it.
    case known
    /// The queue does not take it as it is; nothing was done.
    case invalid(String)
}
