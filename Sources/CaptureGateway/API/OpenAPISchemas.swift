import AppAttest
import CaptureModel
import CaptureQueue

/// The shapes of requests and answers for OpenAPI.
struct OpenAPISchemas: Sendable {
    let configuration: GatewayConfiguration

    /// Every schema by name.
    var tree: JSONValue {
        .object(
            [conventions, devices, enrolment, operators, captures, evidence, operating].reduce(into: [:]) {
                $0.merge($1) { first, _ in first }
            })
    }

    private var conventions: [String: JSONValue] {
        [
            "Meta": Self.object(["request_id": Self.text, "timestamp": Self.moment]),
            "Failure": Self.object([
                "error": Self.object(
                    [
                        "code": Self.choice(APIError.Code.allCases.map(\.rawValue)),
                        "message": Self.text,
                        "details": Self.object(
                            [
                                "field": Self.text, "reason": Self.text,
                                "expected_step": Self.choice(EnrolmentStep.allCases.dropFirst().map(\.nameAsNext)),
                                "device_id": Self.uuid.adding([
                                    "description": "The device that the key is registered as, for who has attested it."
                                ]),
                            ], required: []),
                    ], required: ["code", "message"]),
                "meta": Self.reference("Meta"),
            ]),
            "Reason": Self.choice(Reason.allCases.map(\.rawValue)),
            "CaptureState": Self.choice(CaptureState.allCases.map(\.rawValue)),
        ]
    }

    private var operating: [String: JSONValue] {
        let count: JSONValue = ["type": "integer", "minimum": 0]
        let state = Self.choice(["up", "down"])
        let counts = [
            "captures", "bytes", "captures_max", "bytes_max", "dead_letters", "ready_lanes", "delayed_lanes",
            "leased_lanes",
        ]
        var load = Dictionary(uniqueKeysWithValues: counts.map { ($0, count) })
        load["paused"] = ["type": "boolean"]
        load["fill"] = [
            "type": "number", "minimum": 0,
            "description": """
            The share of its limits that the fullest partition has in use, of captures or bytes, whichever is \
            higher; uploads of its devices are refused at 1.
            """,
        ]
        let required = load.keys.sorted()
        load["oldest_lane_age_ms"] = ["type": "number"]
        load["workers"] = ["type": "array", "items": Self.reference("Worker")]
        for span in ["last_minute", "last_hour", "last_day"] { load[span] = Self.reference("Tally") }
        return [
            "Worker": Self.object([
                "name": Self.text, "version": Self.text, "started_at": Self.moment, "alive": ["type": "boolean"],
                "silence_ms": ["type": "number"], "leased_lanes": count,
            ]),
            "Tally": Self.object([
                "duration_ms": ["type": "number"], "accepted": count, "verified": count, "rejected": count,
                "failed": [
                    "type": "integer", "minimum": 0,
                    "description": "How often captures were given up: one that is put back may be among them again.",
                ],
                "reasons": ["type": "object", "additionalProperties": count],
                "accepted_per_second": Self.rate, "settled_per_second": Self.rate,
                "latency_p50_ms": Self.latency, "latency_p95_ms": Self.latency,
            ]),
            "QueueLoad": Self.object(load, required: required),
            "Liveness": Self.object(["status": ["const": "ok"]]),
            "Readiness": Self.object([
                "status": Self.choice(["ready", "starting", "unavailable"]),
                "dependencies": Self.object(
                    ["redis": state, "postgres": state, "bundles": state], required: ["postgres", "redis"]),
            ]),
        ]
    }

    private static let rate: JSONValue = [
        "type": "number", "minimum": 0, "description": "Over `duration_ms`, not rounded.",
    ]

    private static var latency: JSONValue {
        let steps = LatencyHistogram.bounds.count + 1
        return orNull("number").adding([
            "maximum": .whole(Int64(LatencyHistogram.bounds.max() ?? 0)),
            "description": .string(
                "Estimated from the counts of \(steps) steps of time; from 60000 on the end of the step, and 300000 is "
                    + "1 to 5 minutes or any time above."),
        ])
    }

    // MARK: Shapes that all of them use

    static let text: JSONValue = ["type": "string"]
    static let moment: JSONValue = ["type": "string", "format": "date-time"]
    static let uuid: JSONValue = ["type": "string", "format": "uuid"]
    static let counterPolicy: JSONValue = ["type": "string", "pattern": "^(strict|window\\([0-9]+\\))$"]
    static let digest: JSONValue = ["type": "string", "pattern": "^[0-9a-f]{64}$"]

    static let next: JSONValue = [
        "type": ["string", "null"], "description": "For `after`; null on the last page.",
    ]

    static func base64(_ description: String) -> JSONValue {
        ["type": "string", "contentEncoding": "base64", "description": .string(description)]
    }

    static func orNull(_ type: String) -> JSONValue { ["type": [.string(type), "null"]] }

    static func choice(_ values: [String]) -> JSONValue {
        ["type": "string", "enum": .array(values.map { .string($0) })]
    }

    /// One of the values, or none.
    static func choiceOrNull(_ values: [String]) -> JSONValue { ["anyOf": [choice(values), ["type": "null"]]] }

    static func reference(_ schema: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(schema)")] }

    /// An object whose members are all required unless it says which.
    static func object(_ properties: [String: JSONValue], required: [String]? = nil) -> JSONValue {
        let names = required ?? properties.keys.sorted()
        return [
            "type": "object", "properties": .object(properties), "required": .array(names.map { .string($0) }),
        ]
    }
}
