import CaptureModel
import CaptureStore
import HTTPTypes

/// What each operation is told besides its body.
extension Operation {
    /// Parameters besides those of the security schemes.
    func parameters(_ reading: GatewayConfiguration.Reading) -> [JSONValue] {
        let waitMax = reading.waitMax.components.seconds
        let (id, device) = (Self.id("The capture's id."), Self.id("The device's id."))
        let after = Self.query(
            "after", "The `next` of the page before: a device's id, or a counter.", Self.words)
        let limit = Self.query("limit", "Items of the page.", Self.pageLimit)
        return switch self {
        case .captureStatus:
            [
                id,
                Self.query(
                    "wait", "Seconds to hold the answer back at the most, until the capture's state changes.",
                    OpenAPISchemas.count.adding(["maximum": .whole(waitMax)])),
                [
                    "name": .string(HTTPField.Name.ifNoneMatch.rawName), "in": "header",
                    "schema": OpenAPISchemas.text,
                ],
            ]
        case .captureProvenance, .captureEvidence: [id]
        case .captureEvents: [id] + Self.lastEventID
        case .events: Self.lastEventID
        case .listCaptures: ListingQuery.Parameter.allCases.map { Self.query($0) }
        case .searchIDs: [Self.beginning]
        case .listAudit: AuditQuery.Parameter.allCases.map { Self.query($0) }
        case .reattestDevice, .showDevice, .revokeDevice: [device]
        case .listDevices: [after, limit]
        case .affectedResults: [device, after, limit]
        default: []
        }
    }

    /// The parameters that its query may have; `nil` where the query is not read.
    ///
    /// Whatever reads from the API refuses others: who asks a stream for one device and is answered with all would take
    /// them for that device's. Probes and scrapers may append what they like.
    var queryParameters: [String]? {
        guard method == .get, path.hasPrefix("/api/") else { return nil }
        // The configuration changes a parameter's values, never its name.
        return parameters(GatewayConfiguration.Reading())
            .filter { $0["in"]?.string == "query" }
            .compactMap { $0["name"]?.string }
    }

    private static func id(_ description: String) -> JSONValue {
        [
            "name": "id", "in": "path", "required": true, "schema": OpenAPISchemas.uuid,
            "description": .string(description),
        ]
    }

    private static let pageLimit: JSONValue = [
        "type": "integer", "minimum": 1, "maximum": .whole(Int64(PageLimit.itemsMax)),
        "default": .whole(Int64(PageLimit.unsaid)),
    ]

    /// The name of the last event in a query, where what stands in for a browser's `EventSource` puts it.
    static let lastEventIDParameter = "lastEventId"

    private static let lastEventID: [JSONValue] = [
        [
            "name": .string(HTTPField.Name.lastEventID.rawName), "in": "header", "schema": OpenAPISchemas.text,
            "description": "The last event that was received: what was missed since then comes first.",
        ],
        Self.query(
            lastEventIDParameter, "The same, from clients that do not send the header.", Self.words),
    ]

    /// A text in a query: one that is empty is refused.
    private static let words = OpenAPISchemas.text.adding(["minLength": 1])

    private static func query(_ name: String, _ description: String, _ schema: JSONValue) -> JSONValue {
        ["name": .string(name), "in": "query", "description": .string(description), "schema": schema]
    }

    private static let beginning: JSONValue = Self.query(
        SearchRoute.idParameter, "The first characters of an id, in either case.",
        [
            "type": "string", "minLength": .whole(Int64(IDPrefix.charactersMin)), "maxLength": 36,
            "pattern": "^[0-9A-Fa-f]{8}[-0-9A-Fa-f]*$",
        ]
    ).adding(["required": true])

    /// What the audit is asked for.
    private static func query(_ parameter: AuditQuery.Parameter) -> JSONValue {
        let short = words.adding(["maxLength": .whole(Int64(AuditQuery.whoScalarsMax))])
        let (description, schema): (String, JSONValue) =
            switch parameter {
            case .what:
                (
                    "Only this action, or those of this kind (`device`); `all` for what programs note of their own work "
                        + "as well. Without it, what people did.",
                    OpenAPISchemas.choice(AuditQuery.words)
                )
            case .who: ("Only of actors whose names have this part, in capitals or not.", short)
            case .subject: ("Only what was done to this: a capture's or device's id, or what entries name.", short)
            case .from: ("Only noted at this moment or later.", OpenAPISchemas.moment)
            case .to: ("Only noted before this moment.", OpenAPISchemas.moment)
            case .after: ("The `next` of the page before.", words)
            case .limit: ("Entries of the page.", pageLimit)
            }
        return query(parameter.rawValue, description, schema)
    }

    /// What a list is asked for.
    private static func query(_ parameter: ListingQuery.Parameter) -> JSONValue {
        let (description, schema): (String, JSONValue) =
            switch parameter {
            case .status: ("Only where the answer's `status` is this.", OpenAPISchemas.reference("CaptureState"))
            case .state: ("The older name of `status`.", OpenAPISchemas.reference("CaptureState"))
            case .reason:
                (
                    "Only rejected or failed for this reason; one of dead letters lists those, and with status retrying "
                        + "what is put off for it.",
                    OpenAPISchemas.choice(ListingQuery.reasons.map(\.rawValue))
                )
            case .confidence: ("Only with this confidence.", OpenAPISchemas.choice(of: Confidence.self))
            case .device: ("Only of this device.", OpenAPISchemas.uuid)
            case .from: ("Only received at this moment or later.", OpenAPISchemas.moment)
            case .to: ("Only received before this moment.", OpenAPISchemas.moment)
            case .after: ("The `next` of the page before.", words)
            case .limit: ("Captures of the page.", pageLimit)
            }
        return query(parameter.rawValue, description, schema)
    }
}
