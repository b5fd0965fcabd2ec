package import CaptureModel
package import CaptureQueue
package import RedisClient

/// The fields of a job's hash by name: written by whoever enqueued it, so every one is checked.
package struct JobFields {
    /// The field that is missing or wrong.
    struct Fault: Error {
        let field: String
    }

    /// The fields of a claimed job, in the order of `capture_claim_v1`.
    static let claimed = ["submission", "bundle", "received_at", "redriven", "suspect", "attempts"]

    /// The fields that a status is made of.
    static let status = [
        "device", "state", "attempts", "reason", "fault", "received_at", "claimed_at", "settled_at", "next_attempt_at",
        "redriven",
    ]

    /// The fields of a dead letter, in the order of `capture_dead_v1`.
    static let dead = [
        "device", "state", "attempts", "reason", "fault", "received_at", "claimed_at", "settled_at", "next_attempt_at",
        "redriven", "deliveries", "photo_bytes", "depth_bytes", "bundle_store",
    ]

    /// The most bytes of a store's name that are shown; no valid name has half as many.
    private static let storeBytesMax = 64

    private let names: [String]
    private let values: ArraySlice<RedisValue>

    /// Takes values in the order of their names; if a name is there twice, its first value counts.
    package init(names: [String], values: ArraySlice<RedisValue>) {
        self.names = names
        self.values = values
    }

    /// The names are few: going through them is quicker than making a dictionary for each job.
    private func value(_ name: String) -> RedisValue? {
        guard let index = names.firstIndex(of: name), index < values.count else { return nil }
        return values[values.startIndex + index]
    }

    /// How likely the capture is to have crashed a worker.
    var suspicion: Suspicion {
        switch text("suspect") ?? "" {
        case "1": .grave
        case "few": .slight
        default: .clear
        }
    }

    /// A word, an id or a number; what can be none of these counts as missing, as an empty value does.
    func text(_ name: String) -> String? {
        value(name)?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Any other text, as it is shown: the beginning of one that is too long, with an ellipsis.
    private func shown(_ name: String, bytesMax: Int = RedisValue.shownBytesMax) -> String? {
        value(name)?.shown(bytesMax: bytesMax).flatMap { $0.isEmpty ? nil : $0 }
    }

    func required<Value>(_ name: String, _ parse: (String) -> Value?) throws(Fault) -> Value {
        guard let value = text(name).flatMap(parse) else { throw Fault(field: name) }
        return value
    }

    func moment(_ name: String) -> Timestamp? {
        text(name).flatMap { Int64($0) }.map { Timestamp(millisecondsSince1970: $0) }
    }

    /// A count; a negative number is a fault, so that callers may calculate with it.
    private func count(_ name: String) throws(Fault) -> Int {
        try required(name) { Int($0).flatMap { $0 >= 0 ? $0 : nil } }
    }
}

extension JobFields {
    /// The claimed job of these fields.
    ///
    /// A lane is of one device, and a batch loads the devices of its lanes only: judged in another device's lane, a
    /// capture of a registered device could be told that the device is unknown.
    /// - Parameter device: The device whose lane the capture is in.
    package func job(_ capture: CaptureID, of device: DeviceID, claimedAt: Timestamp) -> ClaimedJob {
        do throws(Fault) {
            guard let receivedAt = moment("received_at") else { throw Fault(field: "received_at") }
            guard let written = value("submission")?.buffer else { throw Fault(field: "submission") }
            let submission = try SubmissionText.read(
                written, of: capture, bundle: try required("bundle", BundleText.init), receivedAt: receivedAt)
            guard submission.device == device else {
                return .malformed(capture, fault: "the job is of another device than its lane")
            }
            return .valid(
                CaptureJob(
                    submission: submission, receivedAt: receivedAt, claimedAt: claimedAt,
                    attempts: try count("attempts"), isRedriven: text("redriven") == "1"
                )
            )
        } catch {
            return .malformed(capture, fault: "the job's field \(error.field) is missing or malformed")
        }
    }

    /// The status of these fields; `nil` when there is none.
    package func status(_ capture: CaptureID) -> JobStatus? {
        guard let device = text("device").flatMap({ DeviceID($0) }),
            let state = text("state").flatMap(CaptureState.init(rawValue:))
        else { return nil }
        let fault = shown("fault")
        // A dead letter has its reason in a field of its own.
        let putOff = state == .failed ? nil : fault.map { FaultText($0) }
        let isRedriven = text("redriven") == "1"
        return JobStatus(
            id: capture, device: device, state: state, attempts: max(0, text("attempts").flatMap { Int($0) } ?? 0),
            reason: text("reason").map(Reason.init(recorded:)) ?? (state == .retrying ? putOff?.reason : nil),
            fault: putOff?.fault ?? fault,
            receivedAt: moment("received_at") ?? otherTime(of: capture), claimedAt: moment("claimed_at"),
            settledAt: moment("settled_at"), nextAttemptAt: moment("next_attempt_at"),
            isRedriven: isRedriven
        )
    }

    /// A time near to that of receipt, which the job has lost: a gateway makes the id at that moment.
    private func otherTime(of capture: CaptureID) -> Timestamp {
        capture.madeAt ?? moment("claimed_at") ?? moment("settled_at") ?? Timestamp(microsecondsSince1970: 0)
    }

    /// The dead letter of these fields; `nil` when its job cannot be read.
    /// - Parameter hasBytes: Whether Redis has its bytes.
    func deadLetter(_ capture: CaptureID, diedAt: Timestamp, hasBytes: Bool) -> DeadLetter? {
        guard let status = status(capture) else { return nil }
        let store = shown("bundle_store", bytesMax: Self.storeBytesMax).map(BundleStoreName.init(asTold:))
        return DeadLetter(
            status: status, diedAt: diedAt, deliveries: text("deliveries").flatMap { Int($0) },
            photoBytes: text("photo_bytes").flatMap { BundleText.size($0) },
            depthBytes: text("depth_bytes").flatMap { BundleText.size($0) }, bundleStore: store,
            bytes: Self.bytes(in: store, hasBytes: hasBytes, reason: status.reason)
        )
    }

    /// What Redis knows of a dead letter's bytes.
    private static func bytes(in store: BundleStoreName?, hasBytes: Bool, reason: Reason?) -> DeadLetter.Bytes {
        guard let store else { return hasBytes ? .kept : .unknown }
        return store == .redis ? DeadLetter.Bytes(areKept: hasBytes) : DeadLetter.Bytes(notLookedForAfter: reason)
    }
}
