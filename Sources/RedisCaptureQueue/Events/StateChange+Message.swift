import CaptureModel
import CaptureQueue

extension StateChange {
    /// As many changes as the functions tell in one message.
    private static let changesMax = 100
    /// A change has twelve quotes: three names and three values.
    private static let quotes = 12

    /// Reads what the functions publish: `[{"capture":"…","device":"…","state":"…"},…]`, always in this form; of
    /// anything else there are none.
    static func changes(in message: String) -> [StateChange] {
        guard message.utf8.count <= changesMax * 256 else { return [] }
        // Members of a fixed alphabet: between the quotes are the names and values, in turn.
        let parts = message.parts(at: "\"")
        guard parts.count % quotes == 1 else { return [] }
        return stride(from: 0, to: parts.count - 1, by: quotes).compactMap { at in
            StateChange(parts[at..<at + quotes])
        }
    }

    private init?(_ parts: ArraySlice<Substring>) {
        let at = parts.startIndex
        guard parts[at + 1] == "capture", parts[at + 5] == "device", parts[at + 9] == "state",
            let capture = CaptureID(parts[at + 3]), let device = DeviceID(parts[at + 7]),
            let news = News(word: String(parts[at + 11]))
        else { return nil }
        self.init(capture: capture, device: device, news: news)
    }
}
