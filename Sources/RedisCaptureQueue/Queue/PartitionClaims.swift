import CaptureQueue

/// What claims in several partitions have brought.
struct PartitionClaims {
    var leases: [Lease] = []
    /// The refusal of each partition that refused.
    var refusals: [QueueError] = []

    /// The fault of the whole claim: the first refusal, if as many partitions have refused as there are.
    func fault(of partitions: Int) -> QueueError? {
        refusals.count < partitions ? nil : refusals.first
    }
}

extension RedisCaptureQueue {
    /// Claims in one partition after the other, up to a number of lanes.
    ///
    /// Lanes that were claimed before a fault are held and must be worked; a lasting fault shows at the next claim. If
    /// one partition refuses, as when a key in it is damaged, the others are claimed all the same.
    func gather(
        _ partitions: [Int], lanesMax: Int, claim: (PartitionKeys, Int) async throws(QueueError) -> [Lease]
    ) async throws(QueueError) -> PartitionClaims {
        var found = PartitionClaims()
        for partition in partitions where found.leases.count < lanesMax && !leases.isClosed {
            do throws(QueueError) {
                found.leases += try await claim(keyspace[partition], lanesMax - found.leases.count)
            } catch let error where error.code == .refused {
                found.refusals.append(error)
            } catch {
                guard !found.leases.isEmpty else { throw error }
                break
            }
        }
        return found
    }
}
