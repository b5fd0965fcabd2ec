import CaptureModel

/// What each operation is told besides its body.
extension Operation {
    /// Parameters besides those of the security schemes.
    func parameters(_ configuration: GatewayConfiguration) -> [JSONValue] {
        let waitMax = configuration.waitMax.components.seconds
        let id: JSONValue = [
            "name": "id", "in": "path", "required": true, "schema": ["type": "string", "format": "uuid"],
            "description": "The capture's id.",
        ]
        let device: JSONValue = [
            "name": "id", "in": "path", "required": true, "schema": ["type": "string", "format": "uuid"],
            "description": "The device's id.",
        ]
        let after: JSONValue = [
            "name": "after", "in": "query", "schema": ["type": "string"],
            "description": "The `next` of the page before: a device's id, or a counter.",
        ]
        let limit = Self.limit("Items of the page.", max: DeviceRoutes.limitMax, unsaid: DeviceRoutes.limitUnsaid)
        return switch self {
        case .captureStatus:
            [
                id,
                [
                    "name": "wait", "in": "query",
                    "schema": ["type": "integer", "minimum": 0, "maximum": .whole(waitMax)],
                    "description": "Seconds to hold the answer back at the most, until the capture's state changes.",
                ],
                ["name": "If-None-Match", "in": "header", "schema": ["type": "string"]],
            ]
        case .captureProvenance, .captureEvidence: [id]
        case .captureEvents: [id, Self.lastEventID]
        case .events: [Self.lastEventID]
        case .listCaptures:
            Self.filters + [
                Self.limit("Captures of the page.", max: ListingQuery.limitMax, unsaid: ListingQuery().limit)
            ]
        case .reattestDevice, .showDevice, .revokeDevice: [device]
        case .listDevices: [after, limit]
        case .affectedResults: [device, after, limit]
        default: []
        }
    }

    private static func limit(_ description: String, max: Int, unsaid: Int) -> JSONValue {
        [
            "name": "limit", "in": "query", "description": .string(description),
            "schema": [
                "type": "integer", "minimum": 1, "maximum": .whole(Int64(max)), "default": .whole(Int64(unsaid)),
            ],
        ]
    }

    private static let lastEventID: JSONValue = [
        "name": "Last-Event-ID", "in": "header", "schema": ["type": "string"],
        "description": "The last event that was received: what was missed since then comes first.",
    ]

    /// What a list may be narrowed down by.
    private static let filters: [JSONValue] = [
        (
            "status", "Only where the answer's `status` is this.", ["$ref": "#/components/schemas/CaptureState"]
        ),
        ("state", "The older name of `status`.", ["$ref": "#/components/schemas/CaptureState"]),
        (
            "reason", "Only rejected or failed for this reason; one of dead letters lists those, oldest first.",
            ["$ref": "#/components/schemas/Reason"]
        ),
        ("confidence", "Only with this confidence.", OpenAPISchemas.choice(Confidence.allCases.map(\.rawValue))),
        ("device", "Only of this device.", OpenAPISchemas.uuid),
        ("from", "Only received at this moment or later.", OpenAPISchemas.moment),
        ("to", "Only received before this moment.", OpenAPISchemas.moment),
        ("after", "The `next` of the page before.", OpenAPISchemas.text),
    ].map { (name: String, description: String, schema: JSONValue) in
        ["name": .string(name), "in": "query", "description": .string(description), "schema": schema]
    }
}
