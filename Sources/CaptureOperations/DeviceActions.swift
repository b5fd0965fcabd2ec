package import CaptureModel
package import CaptureStore

/// Revokes devices for operators, from any surface; the record notes it in the audit along with the change.
///
/// ```swift
/// let actions = DeviceActions(store: store, registry: store)
/// let noted = try await actions.compromise(device, since: noon, reason: reason, by: "alice, ticket 4711")
/// ```
package struct DeviceActions: Sendable {
    private let store: any CaptureStore
    private let registry: any DeviceRegistry

    /// Memberwise.
    package init(store: any CaptureStore, registry: any DeviceRegistry) {
        self.store = store
        self.registry = registry
    }

    /// Revokes a device from a moment on, or from now; `false` if there is no such device.
    ///
    /// Existing results stay as they are.
    package func revoke(
        _ device: DeviceID, from moment: Timestamp?, reason: RevocationReason, by actor: String
    ) async throws(StoreError) -> Bool {
        try await store.revoke(device, at: moment, reason: reason.text, actor: actor)
    }

    /// Revokes every registration of a device's key from the moment since which the key may be compromised.
    ///
    /// Results since then are marked as compromised whenever they are read.
    /// - Returns: How many verified results are marked; `nil` if there is no such device.
    package func compromise(
        _ device: DeviceID, since moment: Timestamp, reason: RevocationReason, by actor: String
    ) async throws(StoreError) -> NotedCompromise? {
        try await registry.compromise(device, since: moment, reason: reason.text, actor: actor)
    }
}
