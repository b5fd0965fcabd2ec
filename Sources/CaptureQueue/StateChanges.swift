package import CaptureModel

/// A capture has reached another state, or was discarded.
package struct StateChange: Sendable, Equatable {
    /// What has come about.
    package enum News: Sendable, Equatable {
        /// It came to this state.
        case state(CaptureState)
        /// It was a dead letter, and an operator has deleted it for good.
        case discarded

        /// The word for it in messages.
        package var word: String {
            switch self {
            case .state(let state): state.rawValue
            case .discarded: Self.discardedWord
            }
        }

        private static let discardedWord = "discarded"

        /// Reads the word; `nil` when it is unknown, as from a newer release.
        package init?(word: String) {
            if word == Self.discardedWord {
                self = .discarded
            } else if let state = CaptureState(rawValue: word) {
                self = .state(state)
            } else {
                return nil
            }
        }
    }

    /// The capture.
    package let capture: CaptureID
    /// Its device.
    package let device: DeviceID
    /// What has come about.
    package let news: News

    /// Memberwise.
    package init(capture: CaptureID, device: DeviceID, news: News) {
        self.capture = capture
        self.device = device
        self.news = news
    }

    /// The state it reached; `nil` when it was discarded.
    package var state: CaptureState? {
        switch news {
        case .state(let state): state
        case .discarded: nil
        }
    }
}

/// Tells those who wait for a capture that its state has changed, so that they need not ask again and again.
///
/// A hint, not a record: a change may be missed (a broken connection, a full buffer). Whoever waits subscribes first,
/// then reads the state, then waits with a limit, then reads the state again.
package protocol StateChanges: Sendable {
    /// The changes of one capture from now on; `nil` when there are too many watchers already.
    ///
    /// Ends when a change may have been missed: read the state again then.
    func changes(of capture: CaptureID) -> AsyncStream<StateChange>?

    /// The changes of all captures from now on; `nil` when there is such a listener already.
    ///
    /// Ends when changes may have been missed: a listener that needs all of them reads everything again.
    func allChanges() -> AsyncStream<StateChange>?
}
