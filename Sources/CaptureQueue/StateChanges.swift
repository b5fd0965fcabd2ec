public import CaptureModel

/// A capture has come to another state.
public struct StateChange: Sendable, Equatable {
    /// The capture.
    public let capture: CaptureID
    /// Its device.
    public let device: DeviceID
    /// The state it came to.
    public let state: CaptureState

    /// Puts a change together.
    public init(capture: CaptureID, device: DeviceID, state: CaptureState) {
        self.capture = capture
        self.device = device
        self.state = state
    }
}

/// Tells those who wait for a capture that its state has changed, so that they need not ask again and again.
///
/// A hint, not a record: a change may be missed (a broken connection, a full buffer). Whoever waits subscribes first,
/// then reads the state, then waits with a limit, then reads the state again.
public protocol StateChanges: Sendable {
    /// The changes of one capture from now on; `nil` when there are too many watchers already.
    ///
    /// Ends when a change may have been missed: it is time to look at the state again.
    func changes(of capture: CaptureID) -> AsyncStream<StateChange>?

    /// The changes of all captures from now on; `nil` when there are too many watchers already.
    ///
    /// Ends when some may have been missed: whoever needs them all reads everything again.
    func allChanges() -> AsyncStream<StateChange>?
}
