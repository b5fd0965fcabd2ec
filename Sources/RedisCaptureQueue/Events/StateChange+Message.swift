import CaptureModel
import CaptureQueue

extension StateChange {
    /// The most changes in one message of the functions.
    static let changesMax = 100
    /// A change has twelve quotes: three names and three values.
    private static let quotes = 12

    /// Reads a message of the functions; text of any other form has no changes.
    ///
    /// The form is always `[{"capture":"…","device":"…","state":"…"},…]`.
    static func changes(in message: String) -> [StateChange] {
        // Whoever may hand captures off may publish any text, of which only ASCII costs what its bytes cost to compare.
        guard message.utf8.count <= changesMax * 256, message.utf8.allSatisfy({ $0 < 0x80 }) else { return [] }
        // All values have a fixed alphabet, so between the quotes are the names and values, in turn.
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
