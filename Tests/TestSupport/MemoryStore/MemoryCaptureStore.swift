package import CaptureModel
package import CaptureStore

/// The record in memory, with the same answers as PostgreSQL's: for tests of workers and gateways. Keeps nothing.
package actor MemoryCaptureStore: CaptureStore {
    private struct Key {
        var captures = CounterLedger()
        var requestHighest: UInt32 = 0
        var lastSeen: Timestamp
    }

    struct Entry {
        var registration: DeviceRegistration
        var revocation: (at: Timestamp, reason: String, actor: String)?
        var compromise: Compromise?
        /// `highest` is what later captures of this registration are compared with.
        var succession: (at: Timestamp, by: DeviceID, highest: UInt32)?

        var device: Device {
            let moments = [revocation?.at, succession?.at].compactMap { $0 }
            return registration.device.with(revokedAt: moments.min())
        }

        var keyHolder: KeyHolder {
            KeyHolder(
                level: device.level, unverifiedReason: device.unverifiedReason, isRevoked: revocation != nil,
                isCompromised: compromise != nil)
        }

        /// As it is read for a decision.
        ///
        /// Nobody exchanges receipts here: a good one waits for ever.
        var known: Device {
            let hasReceipt = registration.receipt.map { !$0.isEmpty } ?? false
            let isAwaited = device.level == .secureEnclave && hasReceipt && registration.receiptRejection == nil
            return device.with(revokedAt: device.revokedAt, isRiskAwaited: isAwaited)
        }
    }

    let time: TimeSource
    var entries: [DeviceID: Entry] = [:]
    private var keys: [KeyID: Key] = [:]
    var records: [CaptureID: ProvenanceResult] = [:]
    private var uploads: [CaptureID: UploadedEvidence] = [:]
    var audit: [AuditEntry] = []
    /// When set, every call fails with it: a record that is away.
    private var fault: StoreError?

    /// Makes an empty record.
    package init(time: @escaping TimeSource) {
        self.time = time
    }

    /// Lets every call fail from now on, or none any more.
    package func fail(with fault: StoreError?) {
        self.fault = fault
    }

    /// Answers when the record can be reached.
    package func ping() throws(StoreError) {
        if let fault { throw fault }
    }

    /// Registers a device, unless its key or its id is another's.
    package func register(_ registration: DeviceRegistration) throws(StoreError) -> RegistrationOutcome {
        try ping()
        let device = registration.device
        let holder = entry(holding: device.keyID)
        if let holder, holder.device.id == device.id { return .created }
        guard entries[device.id] == nil else { return .conflict }
        if let holder {
            guard holder.keyHolder.givesWay(to: device) else { return .conflict }
            // Not when the gateway began to register it: what was accepted meanwhile was received before.
            entries[holder.device.id]?.succession = (
                time(), device.id, keys[device.keyID]?.captures.highest ?? 0
            )
        }
        entries[device.id] = Entry(registration: registration)
        if keys[device.keyID] == nil { keys[device.keyID] = Key(lastSeen: device.registeredAt) }
        audit.append(
            AuditEntry(
                at: device.registeredAt, actor: "gateway", action: .deviceRegister, subject: "\(device.id)",
                details: ["level": device.level.rawValue, "processor_version": ProcessorVersion.current]))
        return .created
    }

    /// The device that a key is registered as.
    package func holder(of key: KeyID) throws(StoreError) -> Device? {
        try ping()
        return entry(holding: key)?.device
    }

    private func entry(holding key: KeyID) -> Entry? {
        entries.values.first { $0.device.keyID == key && $0.succession == nil }
    }

    /// Reads devices; ids that are not registered are missing from the answer.
    package func devices(_ ids: [DeviceID]) throws(StoreError) -> [DeviceID: Device] {
        try ping()
        return entries.filter { ids.contains($0.key) }.mapValues(\.known)
    }

    /// Everything on one device, evidence included.
    package func record(of device: DeviceID) throws(StoreError) -> DeviceRecord? {
        try ping()
        guard let entry = entries[device], let key = keys[entry.device.keyID] else { return nil }
        return DeviceRecord(
            registration: entry.registration.with(entry.device), captureCounter: key.captures.highest,
            requestCounter: key.requestHighest, lastSeen: key.lastSeen, revokedReason: entry.revocation?.reason,
            revokedBy: entry.revocation?.actor, supersededBy: entry.succession?.by, compromise: entry.compromise)
    }

    /// Revokes a device from a moment on.
    package func revoke(
        _ device: DeviceID, at moment: Timestamp?, reason: String, actor: String
    ) throws(StoreError) -> Bool {
        try ping()
        guard let entry = entries[device] else { return false }
        // Whoever revokes may have a clock that is ahead.
        let moment = min(moment ?? time(), time())
        if entry.revocation.map({ moment < $0.at }) ?? true {
            entries[device]?.revocation = (moment, reason, actor)
        }
        audit.append(
            AuditEntry(
                at: time(), actor: actor, action: .deviceRevoke, subject: "\(device)",
                details: ["reason": reason, "since": moment.rfc3339]))
        return true
    }

    /// Lists devices, newest first, after the given one.
    package func listDevices(after: DeviceID?, limit: Int) throws(StoreError) -> [ListedDevice] {
        try ping()
        let all = entries.values
            .map { ListedDevice(device: $0.device, compromisedSince: $0.compromise?.since) }
            .sorted {
                ($0.device.registeredAt, $0.device.id.description) > ($1.device.registeredAt, $1.device.id.description)
            }
        guard let after else { return Array(all.prefix(limit)) }
        return Array(all.drop { $0.device.id != after }.dropFirst().prefix(limit))
    }

    /// Advances the counter of a key's requests iff it is greater than the stored one.
    package func advanceRequestCounter(of key: KeyID, to counter: UInt32) throws(StoreError) -> Bool {
        try ping()
        guard let held = keys[key], counter > held.requestHighest else { return false }
        keys[key]?.requestHighest = counter
        keys[key]?.lastSeen.advance(to: time())
        return true
    }

    /// Notes that a key without a counter has signed a request.
    package func noteRequest(of key: KeyID) throws(StoreError) {
        try ping()
        keys[key]?.lastSeen.advance(to: time())
    }

    /// Decides a batch as a whole: counters checked and advanced, results kept.
    package func settle(_ batch: [ExaminedCapture], policy: CounterPolicy) throws(StoreError) -> [SettledCapture] {
        try ping()
        for capture in batch {
            if let earlier = records[capture.job.id] { try Self.check(capture, against: earlier) }
        }
        return batch.map { settle($0, policy) }
    }

    /// Reads results; captures without one are missing from the answer.
    package func results(of captures: [CaptureID]) throws(StoreError) -> [CaptureID: ProvenanceResult] {
        try ping()
        return records.filter { captures.contains($0.key) }.mapValues { marked($0) }
    }

    /// What was uploaded with a settled capture.
    package func uploaded(with capture: CaptureID) throws(StoreError) -> UploadedEvidence? {
        try ping()
        return uploads[capture]
    }

    /// None: this record keeps no later attestations.
    package func laterAttestation(for capture: CaptureID) throws(StoreError) -> LaterAttestation? {
        try ping()
        return nil
    }

    /// Notes what an operator or a program did.
    package func recordAudit(_ entries: [AuditEntry]) throws(StoreError) {
        try ping()
        audit += entries
    }

    /// What was done to a subject, latest first.
    package func auditTrail(of subject: String, limit: Int) throws(StoreError) -> [AuditEntry] {
        try ping()
        return Array(audit.reversed().filter { $0.subject == subject }.prefix(limit))
    }

    /// Refuses a capture under the id of another one's result, in the words of PostgreSQL's.
    private static func check(_ capture: ExaminedCapture, against earlier: ProvenanceResult) throws(StoreError) {
        let submission = capture.job.submission
        let isSame =
            earlier.device == submission.device && earlier.photoDigest == submission.photoDigest
            && earlier.depthDigest == submission.depthDigest && earlier.metadataDigest == .hash(submission.metadata)
        guard isSame else {
            throw StoreError(.refused, "constraint id_of_another_capture_with_result", serverCode: "P0001")
        }
    }

    private func settle(_ capture: ExaminedCapture, _ policy: CounterPolicy) -> SettledCapture {
        if let earlier = records[capture.job.id] {
            return SettledCapture(id: earlier.id, decision: earlier.decision, wasSettledBefore: true)
        }
        let device = capture.device.flatMap { entries[$0.id]?.device }
        // No revocation is noted for a moment to come: one that lies ahead was made under another clock.
        let isRevoked =
            device?.revokedAt.map { $0 <= capture.job.receivedAt || $0.since(time()) > .seconds(1) } ?? false
        var decided = isRevoked ? Reason.deviceRevoked : capture.outcome.rejection
        if decided == nil, device == nil { decided = .deviceUnknown }
        var taken = Check(.counter, .unavailable, .notEvaluated)
        if decided == nil, let device, let counter = capture.counter {
            // Another lane has the key's later ones, and may be faster.
            let floor = entries[device.id]?.succession?.highest
            taken = keys[device.keyID]?.captures.take(counter, policy: policy, floor: floor) ?? taken
            if let floor, taken.outcome == .pass { entries[device.id]?.succession?.highest = max(floor, counter) }
            keys[device.keyID]?.lastSeen.advance(to: capture.job.receivedAt)
        }
        let result = SettledResult.make(
            of: capture, device: device, decided: decided, counter: taken, policy: policy,
            settledAt: time())
        records[result.id] = result
        uploads[result.id] = UploadedEvidence(
            assertion: capture.job.submission.assertion, metadata: capture.job.submission.metadata)
        return SettledCapture(id: result.id, decision: result.decision, wasSettledBefore: false)
    }
}

extension ProvenanceResult {
    /// This store keeps no other result.
    fileprivate var decision: Decision { reason.map { .rejected($0) } ?? .verified }
}

extension Timestamp {
    fileprivate mutating func advance(to moment: Timestamp) {
        self = max(self, moment)
    }
}
