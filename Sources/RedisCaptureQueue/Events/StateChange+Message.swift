import CaptureModel
import CaptureQueue

extension StateChange {
    /// Reads what the functions publish: `{"capture":"…","device":"…","state":"…"}`, always in this form; anything else is
    /// `nil`.
    init?(message: String) {
        // Three members of a fixed alphabet: between the quotes are the names and values, in turn.
        let parts = message.utf8.count <= 256 ? message.split(separator: "\"", omittingEmptySubsequences: false) : []
        guard parts.count == 13, parts[1] == "capture", parts[5] == "device", parts[9] == "state",
            let capture = CaptureID(parts[3]), let device = DeviceID(parts[7]),
            let state = CaptureState(rawValue: String(parts[11]))
        else { return nil }
        self.init(capture: capture, device: device, state: state)
    }
}
