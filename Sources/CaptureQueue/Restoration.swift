import CaptureModel
import FoundationEssentials

/// Identifies a restoration: a UUID in its canonical form, never used twice.
package struct RestorationMark: Hashable, Sendable, CustomStringConvertible {
    /// As the queue keeps it.
    package let text: String

    /// Takes over what the queue wrote.
    package init(text: String) {
        self.text = text
    }

    /// Makes a new one.
    package static func make(using generator: inout some RandomNumberGenerator) -> RestorationMark {
        RestorationMark(text: UUID.random(using: &generator).canonicalText)
    }

    /// As the queue keeps it.
    package var description: String { text }
}

/// Where a partition stands.
package enum Restoration: Sendable, Equatable {
    /// Data may have been lost.
    case unmarked
    /// Lost captures are being put back under this mark.
    case restoring(RestorationMark)
    /// It has everything that was accepted.
    case restored(RestorationMark)
    /// It refuses to say: a key is damaged, or the server forbids it.
    case refused(QueueError)

    /// The mark in force.
    package var mark: RestorationMark? {
        switch self {
        case .unmarked, .refused: nil
        case .restoring(let mark), .restored(let mark): mark
        }
    }

    /// Whether gateways with a ledger may enqueue.
    package var isRestored: Bool {
        if case .restored = self { true } else { false }
    }
}

extension [Restoration] {
    /// The partitions that may have lost data.
    package var broken: [Int] {
        indices.filter { index in
            switch self[index] {
            case .unmarked, .restoring: true
            case .restored, .refused: false
            }
        }
    }

    /// The partitions that refuse to say where they stand, with why.
    package var refusals: [Int: QueueError] {
        var refusals: [Int: QueueError] = [:]
        for (partition, restoration) in enumerated() {
            if case .refused(let fault) = restoration { refusals[partition] = fault }
        }
        return refusals
    }
}
