package import CaptureModel
package import CaptureStore

extension MemoryCaptureStore {
    /// The conflicts of those of some captures that are replays of an attested key.
    package func counterConflicts(of captures: [CaptureID]) throws(StoreError) -> [CounterConflict] {
        try ping()
        let replays = captures.compactMap { records[$0] }.filter {
            $0.reason == .counterReplay && $0.attestationLevel == .secureEnclave
        }
        return replays.compactMap { replay in
            let verified = records.values.first {
                $0.verdict == .verified && $0.keyID == replay.keyID && $0.counter == replay.counter
            }
            guard let verified, verified.clientDataHash != replay.clientDataHash else { return nil }
            return CounterConflict(capture: replay.id, verified: verified.id)
        }
    }
}
