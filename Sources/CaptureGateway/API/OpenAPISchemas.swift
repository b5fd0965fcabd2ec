import AppAttest
import CaptureModel
import CaptureQueue
import ProcessHealth

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
                        "code": Self.choice(of: APIError.Code.self),
                        "message": Self.text,
                        "details": Self.object(
                            [
                                "field": Self.text, "reason": Self.text,
                                "expected_step": Self.choice(EnrolmentStep.allCases.dropFirst().map(\.nameAsNext)),
                                "device_id": Self.uuid.described(
                                    "The device that the key is registered as, for who has attested it."),
                            ], required: []),
                    ], required: ["code", "message"]),
                "meta": Self.reference("Meta"),
            ]),
            "Reason": Self.choice(of: Reason.self),
            "CaptureState": Self.choice(of: CaptureState.self),
        ]
    }

    private var operating: [String: JSONValue] {
        let state = Self.choice(of: Readiness.Answering.self)
        let counts = [
            "captures", "bytes", "captures_max", "bytes_max", "dead_letters", "ready_lanes", "delayed_lanes",
            "leased_lanes",
        ]
        var load = Dictionary(uniqueKeysWithValues: counts.map { ($0, Self.count) })
        load["paused"] = Self.flag
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
        load["counted_since"] = Self.moment.described(
            "Since when the counts are there, if that is within the last day: Redis had lost its data, or was new.")
        return [
            "Worker": Self.object([
                "name": Self.text, "version": Self.text, "started_at": Self.moment, "alive": Self.flag,
                "silence_ms": ["type": "number"], "leased_lanes": Self.count,
            ]),
            "Tally": Self.object([
                "duration_ms": ["type": "number"], "accepted": Self.count, "verified": Self.count,
                "rejected": Self.count,
                "failed": Self.count.described(
                    "How often captures were given up: one that is put back may be among them again."),
                "reasons": ["type": "object", "additionalProperties": Self.count],
                "accepted_per_second": Self.rate, "settled_per_second": Self.rate,
                "latency_p50_ms": Self.latency, "latency_p95_ms": Self.latency,
            ]),
            "QueueLoad": Self.object(load, required: required),
            "Liveness": Self.object(["status": Self.only(Liveness.status)]),
            "Readiness": Self.object([
                "status": Self.choice(of: Readiness.Status.self),
                "dependencies": Self.object(
                    Dictionary(uniqueKeysWithValues: BackingServer.allCases.map { ($0.rawValue, state) }),
                    required: [BackingServer.postgres, .redis].map(\.rawValue)),
            ]),
        ]
    }

    private static let rate: JSONValue = [
        "type": "number", "minimum": 0, "description": "Over `duration_ms`, not rounded.",
    ]

    private static var latency: JSONValue {
        let (steps, most) = (LatencyHistogram.bounds.count + 1, LatencyHistogram.bounds.max() ?? 0)
        return orNull("number").adding([
            "maximum": .whole(Int64(most)),
            "description": .string(
                "Estimated from the counts of \(steps) steps of time; from \(LatencyHistogram.estimatesEnd) on the end "
                    + "of the step, and \(most) is 1 to 5 minutes or any time above."),
        ])
    }
}
