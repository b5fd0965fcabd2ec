import CaptureModel
import CaptureSettings

extension Settings {
    /// As a gateway reads them, for tests of what all programs read alike.
    init(arguments: [String], environment: [String: String]) async throws(SettingsError) {
        try await self.init(arguments: arguments, environment: environment, program: .gateway)
    }
}
