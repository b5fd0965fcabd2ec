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
            RolloutDocument(dependencies.rollout.standing), context: context, now: dependencies.now())
    }
}

/// The policy in force as JSON.
private struct RolloutDocument: Encodable, Sendable {
    struct App: Encodable, Sendable {
        var appID: String
        var mode: RolloutMode
        var percentage: String
        var bucketsWithin: Int
        @OrNull var osVersionMinimum: String?
        @OrNull var bundleVersionMinimum: String?
        @OrNull var validationCategories: [Int]?
        var notBelowAttested: [String]

        enum CodingKeys: String, CodingKey {
            case mode, percentage
            case appID = "app_id"
            case bucketsWithin = "buckets_within"
            case osVersionMinimum = "os_version_minimum"
            case bundleVersionMinimum = "bundle_version_minimum"
            case validationCategories = "validation_categories"
            case notBelowAttested = "not_below_attested"
        }
    }

    var policy: String
    @OrNull var since: String?
    @OrNull var fault: String?
    var apps: [App]

    init(_ standing: RolloutInForce.Standing) {
        policy = standing.policy.digest.hex
        since = standing.since?.rfc3339
        fault = standing.fault?.description
        apps = standing.policy.apps.sorted { $0.key.text < $1.key.text }.map { app, rollout in
            App(
                appID: app.text, mode: rollout.mode, percentage: rollout.percentage,
                bucketsWithin: rollout.bucketsWithin, osVersionMinimum: rollout.osVersionMinimum?.description,
                bundleVersionMinimum: rollout.extensions.bundleVersionMinimum?.description,
                validationCategories: rollout.extensions.validationCategories?.sorted(),
                notBelowAttested: rollout.extensions.notBelowAttested.map(\.rawValue).sorted())
        }
    }

    enum CodingKeys: String, CodingKey {
        case policy = "policy_sha256"
        case since, fault, apps
    }
}
