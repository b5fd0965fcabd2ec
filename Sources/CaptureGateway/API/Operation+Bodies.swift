import CaptureModel
import HTTPTypes

/// The bodies that each operation takes and gives.
extension Operation {
    /// The body that it takes.
    var requestBody: JSONValue? {
        func json(_ schema: String) -> JSONValue {
            ["required": true, "content": OpenAPIDocument.json(OpenAPISchemas.reference(schema))]
        }
        return switch self {
        case .registerDevice: json("Registration")
        case .registerCheckedDevice: json("CheckedRegistration")
        case .reattestDevice: json("ReattestationRequest")
        case .startEnrolment: json("EnrolmentStartRequest")
        case .attestEnrolment: json("EnrolmentAttestationRequest")
        case .setEnrolmentPassword: json("EnrolmentPasswordRequest")
        case .finalizeEnrolment: json("EnrolmentFinalizeRequest")
        case .revokeDevice: json("RevocationRequest")
        case .captureStatuses: json("StatusRequest")
        case .uploadCapture:
            [
                "required": true,
                "content": [
                    "multipart/form-data": [
                        "schema": OpenAPISchemas.reference("Upload"), "encoding": Self.encoding,
                    ]
                ],
            ]
        default: nil
        }
    }

    /// The types of an upload's parts.
    private static let encoding = JSONValue.object(
        Dictionary(
            uniqueKeysWithValues: BundlePart.allCases.map { part in
                let type =
                    switch part {
                    case .photo: MediaType.jpeg.rawValue
                    // As JSON alone, generators of clients would write it anew.
                    case .metadata: "application/octet-stream, \(MediaType.json.rawValue)"
                    case .assertion: "application/cbor, text/plain"
                    case .depthMap: "application/octet-stream"
                    }
                return (part.rawValue, ["contentType": .string(type)])
            }))

    /// The answers that are none of the failures, by status.
    var successes: [String: JSONValue] {
        switch self {
        case .issueChallenge: ["200": Self.answer("Challenge")]
        case .registerDevice, .registerCheckedDevice: ["201": Self.answer("Device")]
        case .reattestDevice: ["200": Self.answer("Reattestation")]
        case .startEnrolment: ["201": Self.answer("EnrolmentStart")]
        case .attestEnrolment: ["200": Self.answer("EnrolmentAttestation")]
        case .setEnrolmentPassword: ["200": Self.answer("EnrolmentPassword")]
        case .finalizeEnrolment: ["200": Self.answer("EnrolmentFinalize")]
        case .listDevices: ["200": Self.answer("DeviceList")]
        case .showDevice: ["200": Self.answer("DeviceDetails")]
        case .revokeDevice: ["200": Self.answer("Revocation")]
        case .affectedResults: ["200": Self.answer("AffectedResults")]
        case .uploadCapture: ["202": Self.answer("Acceptance", headers: [.location, .retryAfter])]
        case .captureStatus:
            [
                "200": Self.answer("CaptureStatus", headers: [.eTag, .retryAfter]),
                "304": [
                    "description": "The state is still the one named by If-None-Match.",
                    "headers": OpenAPIDocument.headerReferences([.eTag, .retryAfter, .requestID]),
                ],
            ]
        case .captureProvenance: ["200": Self.answer("Provenance")]
        case .captureEvidence: ["200": Self.answer("Evidence")]
        case .captureStatuses: ["200": Self.answer("CaptureStatuses")]
        case .captureEvents:
            [
                "200": Self.stream(
                    """
                    Server-sent events. Each is a `status`: its `data` is the whole status as JSON (`CaptureStatus`), its \
                    `id` names the state. One comes at once, unless Last-Event-ID names that state, and one with each \
                    change. The stream ends with the result, or when the capture is discarded.
                    """),
                "204": [
                    "description": "Last-Event-ID names the state of a capture that has its result: none follows.",
                    "headers": OpenAPIDocument.headerReferences([.requestID]),
                ],
            ]
        case .events:
            [
                "200": Self.stream(
                    """
                    Server-sent events. `hello` comes first, unless there is a Last-Event-ID: its `id` is where the \
                    stream begins. `changes` has as its `data` the JSON `{"changes": [{"capture_id", "device_id", \
                    "status"}]}`, where `status` is a state, or `discarded` for a deleted dead letter. `gap` says that \
                    changes were missed: read everything again.
                    """)
            ]
        case .listCaptures: ["200": Self.answer("CaptureList")]
        case .searchIDs: ["200": Self.answer("FoundIDs")]
        case .listAudit: ["200": Self.answer("AuditLog")]
        case .queueLoad: ["200": Self.answer("QueueLoad")]
        case .rollout: ["200": Self.answer("Rollout")]
        case .liveness: ["200": Self.answer("Liveness")]
        case .readiness: ["200": Self.answer("Readiness"), "503": Self.answer("Readiness", headers: [.retryAfter])]
        case .metrics: ["200": Self.plain("text/plain", "Prometheus text format 0.0.4.")]
        case .description: ["200": Self.plain(MediaType.json.rawValue, "An OpenAPI 3.1 document.")]
        }
    }

    private static func answer(_ schema: String, headers: [HTTPField.Name] = []) -> JSONValue {
        [
            "description": .string(schema),
            "headers": OpenAPIDocument.headerReferences(headers + [.requestID]),
            "content": OpenAPIDocument.json(
                OpenAPISchemas.object([
                    "data": OpenAPISchemas.reference(schema), "meta": OpenAPISchemas.reference("Meta"),
                ])),
        ]
    }

    /// Events; what comes between them is a comment.
    private static func stream(_ description: String) -> JSONValue {
        plain(EventStream.contentType, description + " A comment comes every 15 to 20 seconds.")
    }

    private static func plain(_ type: String, _ description: String) -> JSONValue {
        [
            "description": .string(description), "headers": OpenAPIDocument.headerReferences([.requestID]),
            "content": .object([type: ["schema": OpenAPISchemas.anything]]),
        ]
    }
}
