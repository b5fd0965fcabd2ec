import CaptureModel

/// What OpenAPI says about each operation, and who may call it.
extension Operation {
    /// One line.
    var summary: String {
        switch self {
        case .issueChallenge: "Hands out a challenge to attest to, good once and for five minutes unless configured."
        case .registerDevice: "Registers a device by its App Attest attestation, or by a software key."
        case .registerCheckedDevice:
            "Registers a device without App Attest, with Apple's DeviceCheck and a software key."
        case .reattestDevice: "Attests a registered key once more, and tells what has changed; counters stay."
        case .startEnrolment:
            "Uses an invitation up and begins an enrolment; its device may ask again until the challenge is answered."
        case .attestEnrolment:
            "Registers the enrolling device by its App Attest attestation; the same until its password is set."
        case .setEnrolmentPassword: "Keeps the password hash that was sealed with the password's transaction key."
        case .finalizeEnrolment: "Ends an enrolment with a credential and a token; asked again, it answers the same."
        case .listDevices: "Lists devices, newest first."
        case .showDevice: "Tells everything that is known of a device, but its evidence."
        case .revokeDevice: "Revokes a device from now on, or from when its key was in other hands."
        case .affectedResults: "Lists the verified results of a compromised key since then."
        case .uploadCapture: "Takes a signed capture for good."
        case .captureStatus: "Tells where a capture stands; may wait for its state to change."
        case .captureProvenance: "Tells everything that was found out about a capture that has a result."
        case .captureEvidence:
            "Gives a result with its signature and key, for others to verify; no read-only token gets it."
        case .captureStatuses:
            "Tells where several captures stand; those that the caller may not see are left out, or whose result is lost."
        case .captureEvents: "Streams the states of a capture as server-sent events, to its result."
        case .listCaptures:
            "Lists captures page by page, the latest received first; dead letters, the first given up first."
        case .searchIDs: "Finds the captures and devices whose ids begin alike."
        case .events: "Streams the state changes of all captures as server-sent events."
        case .queueLoad: "Tells how full the queue is, who works it, and what became of the latest captures."
        case .rollout: "Tells what the rollouts of apps ask, and whether their file is still what is in force."
        case .listAudit: "Lists who did what to what, page by page, the latest first."
        case .liveness: "Answers as long as the process runs."
        case .readiness: "Tells whether queue and record answer, and the start's checks are over."
        case .metrics: "The process's metrics in Prometheus's text format."
        case .description: "This document."
        }
    }

    /// Who may call it; any one of the alternatives.
    var security: [JSONValue] {
        let device: JSONValue = ["deviceID": [], "deviceTimestamp": [], "deviceSignature": []]
        return switch self {
        case .captureStatus, .captureProvenance, .captureEvidence, .captureStatuses: [["token": []], device]
        case .captureEvents: [["token": []], ["session": []], device]
        case .queueLoad, .rollout, .listDevices, .showDevice, .revokeDevice, .affectedResults: [["token": []]]
        case .listCaptures, .searchIDs, .events, .listAudit: [["token": []], ["session": []]]
        case .uploadCapture: [["deviceID": []]]
        // Their credentials come in the body, or they need none.
        case .issueChallenge, .registerDevice, .registerCheckedDevice, .reattestDevice, .startEnrolment,
            .attestEnrolment, .setEnrolmentPassword, .finalizeEnrolment, .liveness, .readiness, .metrics, .description:
            []
        }
    }
}
