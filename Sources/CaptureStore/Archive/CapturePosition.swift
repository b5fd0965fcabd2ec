package import CaptureModel

/// Where a page of captures ends and the next begins: newest first by the time of receipt, then by id.
package struct CapturePosition: Sendable, Hashable, CustomStringConvertible {
    /// When it was received.
    package let receivedAt: Timestamp
    /// Which capture.
    package let capture: CaptureID

    /// Names a place in the order.
    package init(receivedAt: Timestamp, capture: CaptureID) {
        self.receivedAt = receivedAt
        self.capture = capture
    }

    /// Reads the text form: microseconds since 1970, a colon and the capture's id.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), let capture = CaptureID(parts[1]) else { return nil }
        self.init(receivedAt: Timestamp(microsecondsSince1970: time), capture: capture)
    }

    /// The text form.
    package var description: String { "\(receivedAt.microsecondsSince1970):\(capture)" }

    /// Whether this place comes before another in a list.
    package func precedes(_ other: CapturePosition) -> Bool {
        (receivedAt, capture.description) > (other.receivedAt, other.capture.description)
    }
}
