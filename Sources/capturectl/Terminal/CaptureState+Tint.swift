import CaptureModel

extension CaptureState {
    /// The tint of a capture's state.
    var tint: Terminal.Tint {
        switch self {
        case .verified: .good
        case .rejected, .failed: .bad
        case .queued, .processing, .retrying: .notable
        }
    }
}
