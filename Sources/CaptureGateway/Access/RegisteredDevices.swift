import CaptureModel
import CaptureStore

/// Looks up the device that somebody claims to be, and lets it pass as long as it may act at all.
struct RegisteredDevices: Sendable {
    private let store: any CaptureStore
    private let keys: TrustedKeys

    /// The answer to an id that no device has.
    static let unknown = APIError(.deviceNotFound, "no such device is registered")

    init(trust: GatewayConfiguration.Trust, dependencies: GatewayDependencies) {
        store = dependencies.store
        keys = trust.keys
    }

    /// The device of an id.
    ///
    /// - Throws: `DEVICE_NOT_FOUND`, `DEVICE_REVOKED`, or `SIGNATURE_INVALID` when its key is not taken any more.
    func device(_ id: DeviceID) async throws(APIError) -> Device {
        let found = try await askingStore { () async throws(StoreError) -> Device? in
            try await store.device(id)
        }
        guard let found else { throw Self.unknown }
        guard !found.isRevoked else { throw APIError(.deviceRevoked, "the device was revoked") }
        try keys.admit(found)
        return found
    }
}
