import CaptureModel

/// What OpenAPI says about each operation.
extension Operation {
    /// One line.
    var summary: String {
        switch self {
        case .issueChallenge: "Hands out a challenge to attest to, good once and for five minutes unless configured."
        case .registerDevice: "Registers a device by its App Attest attestation, or by a software key."
        case .registerCheckedDevice:
            "Registers a device without App Attest, with Apple's DeviceCheck and a software key."
        case .reattestDevice: "Attests a registered key once more, and tells what has changed; counters stay."
        case .startEnrolment: "Uses an invitation up and begins an enrolment, with a challenge and transaction keys."
        case .attestEnrolment: "Registers the enrolling device by its App Attest attestation."
        case .setEnrolmentPassword: "Keeps the password hash that was sealed with the password's transaction key."
        case .finalizeEnrolment: "Ends an enrolment with a credential and a token; asked again, it answers the same."
        case .listDevices: "Lists devices, newest first."
        case .showDevice: "Tells everything that is known of a device, but its evidence."
        case .revokeDevice: "Revokes a device from now on, or from when its key was in other hands."
        case .affectedResults: "Lists the verified results of a compromised key since then."
        case .uploadCapture: "Takes a signed capture for good."
        case .captureStatus: "Tells where a capture stands; may wait for it to be settled."
        case .captureProvenance: "Tells everything that was found out about a settled capture."
        case .captureEvidence: "Gives what a settled capture's verdict rests on, for others to verify by themselves."
        case .captureStatuses: "Tells where several captures stand; those that the caller may not see are left out."
        case .captureEvents: "Streams the states of a capture as server-sent events, to its end."
        case .listCaptures: "Lists captures, newest first, page by page; dead letters oldest first."
        case .events: "Streams the state changes of all captures as server-sent events."
        case .queueLoad: "Tells how full the queue is, who works it, and what became of the latest captures."
        case .rollout: "Tells what the rollouts of apps ask, and whether their file is still what is in force."
        case .liveness: "Answers as long as the process runs."
        case .readiness: "Tells whether queue and record answer, and the start's checks are over."
        case .metrics: "The process's metrics in Prometheus's text format."
        case .description: "This document."
        }
    }

    /// The codes that it may fail with, each once.
    ///
    /// Any request may meet a fault of the system, have a head that is no HTTP or too large, or find all connections
    /// taken.
    var failures: [APIError.Code] {
        let device: [APIError.Code] = [
            .unauthorized, .timestampExpired, .timestampInvalid, .signatureInvalid, .replayDetected, .deviceNotFound,
            .deviceRevoked, .rateLimited,
        ]
        let enrolment: [APIError.Code] = [
            .validationError, .notFound, .requestTimeout, .payloadTooLarge, .unsupportedMediaType, .rateLimited,
            .unavailable,
        ]
        let step: [APIError.Code] = enrolment + [.enrolmentUnknown, .enrolmentExpired, .wrongStep]
        let specific: [APIError.Code] =
            switch self {
            case .issueChallenge: [.rateLimited, .unavailable]
            case .registerDevice, .registerCheckedDevice:
                [
                    .validationError, .challengeInvalid, .attestationFailed, .signatureInvalid, .conflict,
                    .requestTimeout, .payloadTooLarge, .unsupportedMediaType, .unavailable,
                ]
            case .reattestDevice:
                [
                    .validationError, .challengeInvalid, .attestationFailed, .deviceRevoked, .notFound, .conflict,
                    .requestTimeout, .payloadTooLarge, .unsupportedMediaType, .unavailable,
                ]
            case .startEnrolment: enrolment + [.invitationUnknown, .invitationUsed, .invitationExpired]
            case .attestEnrolment: step + [.challengeInvalid, .attestationFailed, .conflict]
            case .setEnrolmentPassword, .finalizeEnrolment: step + [.attestationFailed, .deviceRevoked]
            case .listDevices: [.validationError, .unauthorized, .forbidden, .rateLimited, .unavailable]
            case .showDevice, .affectedResults:
                [.validationError, .unauthorized, .forbidden, .deviceUnknown, .notFound, .rateLimited, .unavailable]
            case .revokeDevice:
                [
                    .validationError, .unauthorized, .forbidden, .deviceUnknown, .notFound, .requestTimeout,
                    .payloadTooLarge, .unsupportedMediaType, .rateLimited, .unavailable,
                ]
            case .uploadCapture:
                [
                    .validationError, .signatureInvalid, .deviceNotFound, .deviceRevoked, .requestTimeout,
                    .payloadTooLarge, .unsupportedMediaType, .queueFull, .unavailable,
                ]
            case .captureStatus: device + [.validationError, .captureNotFound, .unavailable]
            case .captureProvenance: device + [.captureNotFound, .unavailable]
            case .captureEvidence: device + [.forbidden, .captureNotFound, .unavailable]
            case .captureStatuses:
                device + [
                    .validationError, .requestTimeout, .payloadTooLarge, .unsupportedMediaType, .unavailable,
                ]
            case .captureEvents: device + [.captureNotFound, .unavailable]
            case .listCaptures: [.validationError, .unauthorized, .forbidden, .notFound, .rateLimited, .unavailable]
            case .events, .queueLoad, .rollout: [.unauthorized, .forbidden, .rateLimited, .unavailable]
            case .metrics: [.notFound]
            case .liveness, .readiness, .description: []
            }
        let anywhere: [APIError.Code] = [.internalError, .validationError, .unavailable]
        return specific + anywhere.filter { !specific.contains($0) }
    }

    /// Who may call it; any one of the alternatives.
    var security: [JSONTree] {
        let device: JSONTree = ["deviceID": [], "deviceTimestamp": [], "deviceSignature": []]
        return switch self {
        case .captureStatus, .captureProvenance, .captureEvidence, .captureStatuses: [["token": []], device]
        case .captureEvents: [["token": []], ["session": []], device]
        case .queueLoad, .rollout, .listDevices, .showDevice, .revokeDevice, .affectedResults: [["token": []]]
        case .listCaptures, .events: [["token": []], ["session": []]]
        case .uploadCapture: [["deviceID": []]]
        // What they show comes with the body, or is nobody's.
        case .issueChallenge, .registerDevice, .registerCheckedDevice, .reattestDevice, .startEnrolment,
            .attestEnrolment, .setEnrolmentPassword, .finalizeEnrolment, .liveness, .readiness, .metrics, .description:
            []
        }
    }

    /// Parameters besides those of the security schemes.
    var parameters: [JSONTree] {
        let id: JSONTree = [
            "name": "id", "in": "path", "required": true, "schema": ["type": "string", "format": "uuid"],
            "description": "The capture's id.",
        ]
        let device: JSONTree = [
            "name": "id", "in": "path", "required": true, "schema": ["type": "string", "format": "uuid"],
            "description": "The device's id.",
        ]
        let after: JSONTree = [
            "name": "after", "in": "query", "schema": ["type": "string"],
            "description": "The last item of the page before: a device's id, or a counter.",
        ]
        let limit: JSONTree = [
            "name": "limit", "in": "query", "schema": ["type": "integer", "minimum": 1, "maximum": 500],
        ]
        return switch self {
        case .captureStatus:
            [
                id,
                [
                    "name": "wait", "in": "query", "schema": ["type": "integer", "minimum": 0],
                    "description": "Seconds to hold the answer back while the capture is not settled.",
                ],
                ["name": "If-None-Match", "in": "header", "schema": ["type": "string"]],
            ]
        case .captureProvenance, .captureEvidence: [id]
        case .captureEvents: [id, Self.lastEventID]
        case .events: [Self.lastEventID]
        case .listCaptures: Self.filters
        case .reattestDevice, .showDevice, .revokeDevice: [device]
        case .listDevices: [after, limit]
        case .affectedResults: [device, after, limit]
        default: []
        }
    }

    /// The body that it takes.
    var requestBody: JSONTree? {
        func json(_ schema: String) -> JSONTree {
            [
                "required": true,
                "content": ["application/json": ["schema": ["$ref": .string("#/components/schemas/\(schema)")]]],
            ]
        }
        return switch self {
        case .registerDevice: json("Registration")
        case .registerCheckedDevice: json("CheckedRegistration")
        case .reattestDevice: json("Registration")
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
                        "schema": ["$ref": "#/components/schemas/Upload"],
                        "encoding": [
                            "photo": ["contentType": "image/jpeg"],
                            "metadata": ["contentType": "application/json"],
                            "assertion": ["contentType": "application/cbor, text/plain"],
                            "depth_map": ["contentType": "application/octet-stream"],
                        ],
                    ]
                ],
            ]
        default: nil
        }
    }

    /// The answers that are none of the failures, by status.
    var successes: [String: JSONTree] {
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
        case .uploadCapture: ["202": Self.answer("Acceptance", headers: ["Location", "Retry-After"])]
        case .captureStatus:
            [
                "200": Self.answer("CaptureStatus", headers: ["ETag", "Retry-After"]),
                "304": [
                    "description": "The state is still the one named by If-None-Match.",
                    "headers": OpenAPIDocument.headerReferences(["ETag", "Retry-After", "X-Request-Id"]),
                ],
            ]
        case .captureProvenance: ["200": Self.answer("Provenance")]
        case .captureEvidence: ["200": Self.answer("Evidence")]
        case .captureStatuses: ["200": Self.answer("CaptureStatuses")]
        case .captureEvents:
            [
                "200": Self.plain("text/event-stream", "Server-sent events."),
                "204": [
                    "description": "Last-Event-ID names the state of a capture that has come to its end: none follows.",
                    "headers": OpenAPIDocument.headerReferences(["X-Request-Id"]),
                ],
            ]
        case .events: ["200": Self.plain("text/event-stream", "Server-sent events.")]
        case .listCaptures: ["200": Self.answer("CaptureList")]
        case .queueLoad: ["200": Self.answer("QueueLoad")]
        case .rollout: ["200": Self.answer("Rollout")]
        case .liveness: ["200": Self.answer("Liveness")]
        case .readiness: ["200": Self.answer("Readiness"), "503": Self.answer("Readiness", headers: ["Retry-After"])]
        case .metrics: ["200": Self.plain("text/plain", "Prometheus text format 0.0.4.")]
        case .description: ["200": Self.plain("application/json", "An OpenAPI 3.1 document.")]
        }
    }

    private static func answer(_ schema: String, headers: [String] = []) -> JSONTree {
        [
            "description": .string(schema),
            "headers": OpenAPIDocument.headerReferences(headers + ["X-Request-Id"]),
            "content": [
                "application/json": [
                    "schema": [
                        "type": "object", "required": ["data", "meta"],
                        "properties": [
                            "data": ["$ref": .string("#/components/schemas/\(schema)")],
                            "meta": ["$ref": "#/components/schemas/Meta"],
                        ],
                    ]
                ]
            ],
        ]
    }

    private static let lastEventID: JSONTree = [
        "name": "Last-Event-ID", "in": "header", "schema": ["type": "string"],
        "description": "The last event that was received: what was missed since then comes first.",
    ]

    /// What a list may be narrowed down by.
    private static let filters: [JSONTree] = [
        ("state", "Only in this state.", ["$ref": "#/components/schemas/CaptureState"]),
        (
            "reason", "Only rejected or failed for this reason; one of dead letters lists those, oldest first.",
            ["$ref": "#/components/schemas/Reason"]
        ),
        ("confidence", "Only with this confidence.", OpenAPISchemas.choice(Confidence.allCases.map(\.rawValue))),
        ("device", "Only of this device.", OpenAPISchemas.uuid),
        ("from", "Only received at this moment or later.", OpenAPISchemas.moment),
        ("to", "Only received before this moment.", OpenAPISchemas.moment),
        (
            "limit", "Captures of the page.",
            ["type": "integer", "minimum": 1, "maximum": .integer(ListingQuery.limitMax)]
        ),
        ("after", "The `next` of the page before.", OpenAPISchemas.text),
    ].map { (name: String, description: String, schema: JSONTree) in
        ["name": .string(name), "in": "query", "description": .string(description), "schema": schema]
    }

    private static func plain(_ type: String, _ description: String) -> JSONTree {
        [
            "description": .string(description), "headers": OpenAPIDocument.headerReferences(["X-Request-Id"]),
            "content": .object([type: ["schema": [:]]]),
        ]
    }
}
