import CaptureModel

/// What DeviceCheck said, as JSON.
struct DeviceCheckDocument: Encodable, Sendable {
    private let state: DeviceCheckState

    init(_ state: DeviceCheckState) {
        self.state = state
    }

    private enum CodingKeys: String, CodingKey {
        case standing = "state"
        case bit0, bit1, reason
        case lastUpdate = "last_update"
        case checkedAt = "checked_at"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state.standing.rawValue, forKey: .standing)
        try container.encode(state.bit0, forKey: .bit0)
        try container.encode(state.bit1, forKey: .bit1)
        try container.encode(state.lastUpdate, forKey: .lastUpdate)
        try container.encode(state.reason, forKey: .reason)
        try container.encode(state.checkedAt.rfc3339, forKey: .checkedAt)
    }
}
