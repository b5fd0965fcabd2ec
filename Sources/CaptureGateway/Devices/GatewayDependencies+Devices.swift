import CaptureOperations
import CaptureStore

extension GatewayDependencies {
    /// What becomes of devices after their registration; a gateway without it has no such routes.
    func requireRegistry() throws(APIError) -> any DeviceRegistry & ReceiptStore {
        guard let registry else { throw APIError(.notFound, "this gateway keeps no registry") }
        return registry
    }

    /// Where operators end devices, by whatever route.
    func requireDeviceActions() throws(APIError) -> DeviceActions {
        DeviceActions(store: store, registry: try requireRegistry())
    }
}
