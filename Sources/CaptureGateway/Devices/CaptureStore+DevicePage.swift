import CaptureModel
import CaptureStore

extension CaptureStore {
    /// Lists devices, newest first, after an existing one.
    ///
    /// An unknown `after` is refused: the empty page behind it is not the end of the list.
    func devicePage(after: DeviceID?, limit: Int) async throws(APIError) -> [ListedDevice] {
        let found = try await askingStore { () async throws(StoreError) in
            try await listDevices(after: after, limit: limit)
        }
        guard found.isEmpty, let after else { return found }
        let known = try await askingStore { () async throws(StoreError) in try await devices([after]) }
        guard known[after] != nil else { throw .invalid("after", "names no device: begin again without it") }
        return found
    }
}
