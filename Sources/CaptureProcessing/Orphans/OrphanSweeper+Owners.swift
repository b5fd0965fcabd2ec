import Bisection
import CaptureModel
import CaptureQueue
import CaptureStore
import Logging

extension OrphanSweeper {
    /// The owner of some bytes.
    enum Owner {
        /// A capture that waits, is worked or may be worked again.
        case capture
        /// One that has its result.
        case settled
        /// Neither queue nor record knows the capture.
        case nobody

        /// As ledger and record tell it.
        init(recorded standing: RecordedStanding?) {
            self =
                switch standing {
                case .settled: .settled
                case .open: .capture
                case nil: .nobody
                }
        }
    }

    /// Finds the owners of bytes; captures whose row in the record cannot be read are missing.
    ///
    /// The queue is asked first: a result is committed before the queue is told of it.
    /// - Throws: ``QueueError`` or ``StoreError`` of whoever could not be asked.
    func owners(of page: [UntouchedBytes]) async throws -> [CaptureID: Owner] {
        let captures = page.map(\.capture)
        guard !captures.isEmpty else { return [:] }
        var owners: [CaptureID: Owner] = [:]
        // Those that the queue does not know, or calls settled: whoever writes to Redis may have written that, and the
        // record may have lost the result since.
        var asked: [CaptureID] = []
        for (capture, status) in zip(captures, try await queue.status(of: captures)) {
            if let status, !status.state.isSettled { owners[capture] = .capture } else { asked.append(capture) }
        }
        owners.merge(try await recorded(asked)) { _, recorded in recorded }
        // A capture whose job cannot be read has no status, but the queue has it. One that the queue alone calls
        // settled is not nobody's either, until the queue has forgotten it.
        let strangers = asked.filter { owners[$0] == .nobody }
        for (capture, isKnown) in zip(strangers, try await queue.knows(strangers)) where isKnown {
            owners[capture] = .capture
        }
        return owners
    }

    /// The owners of captures by ledger and record.
    ///
    /// A row that cannot be read stays so: the captures are halved to find the unreadable ones, whose bytes stay.
    private func recorded(_ captures: [CaptureID]) async throws(StoreError) -> [CaptureID: Owner] {
        var owners: [CaptureID: Owner] = [:]
        var parts = Bisection(captures)
        while let part = parts.next() {
            do throws(StoreError) {
                let standings = try await self.standings(Array(part))
                for capture in part { owners[capture] = Owner(recorded: standings[capture]) }
            } catch {
                guard error.mayBeOfOneCapture else { throw error }
                guard !parts.halve(part) else { continue }
                for capture in part {
                    logger.warning(
                        "bytes are not swept whose capture ledger or record cannot tell of",
                        metadata: ["capture_id": "\(capture)", "fault": "\(error)"])
                }
            }
        }
        return owners
    }
}
