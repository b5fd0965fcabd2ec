import AppAttest
import CaptureModel
import Hummingbird
import Rollout

/// `GET /api/v1/rollout`: the rollout policy in force, since when, and whether its file still says the same.
struct RolloutRoute: Sendable {
    let dependencies: GatewayDependencies
    let access: AccessControl

    func handle(_ request: Request, _ context: GatewayContext) async throws(APIError) -> Response {
        try await access.requireToken(of: request, context)
        return try Envelope.success(
            RolloutDocument(standing: dependencies.rollout.standing), context: context, now: dependencies.now())
    }
}

/// The policy in force as JSON; what is not known, or not asked for, is `null`.
private struct RolloutDocument: Encodable, Sendable {
    struct App: Encodable {
        let app: AppID
        let rollout: AppRollout

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: MemberName.self)
            let extensions = rollout.extensions
            try container.encode(app.text, forKey: "app_id")
            try container.encode(rollout.mode, forKey: "mode")
            try container.encode(rollout.percentage, forKey: "percentage")
            try container.encode(rollout.bucketsWithin, forKey: "buckets_within")
            try container.encode(rollout.osVersionMinimum?.description, forKey: "os_version_minimum")
            try container.encode(extensions.bundleVersionMinimum?.description, forKey: "bundle_version_minimum")
            try container.encode(extensions.validationCategories?.sorted(), forKey: "validation_categories")
            try container.encode(extensions.notBelowAttested.map(\.rawValue).sorted(), forKey: "not_below_attested")
        }
    }

    let standing: RolloutInForce.Standing

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        try container.encode(standing.policy.digest.hex, forKey: "policy_sha256")
        try container.encode(standing.since?.rfc3339, forKey: "since")
        try container.encode(standing.fault?.description, forKey: "fault")
        let apps = standing.policy.apps.sorted { $0.key.text < $1.key.text }
        try container.encode(apps.map { App(app: $0.key, rollout: $0.value) }, forKey: "apps")
    }
}
