import AppAttest
package import CaptureModel
package import CaptureStore
package import DeviceSimulator

/// Thousands of simulated devices, registered directly in the record, without attestation.
///
/// ```swift
/// let crowd = try await Crowd.register(1_000, appID: app, in: store, at: now, using: &generator)
/// let accepted = try await crowd.enqueue(rounds: 10, sharing: capture, through: handOff)
/// ```
package struct Crowd: Sendable {
    /// A device with the id under which it is registered.
    package typealias Member = (id: DeviceID, device: SimulatedDevice)

    /// Its devices.
    package let devices: [Member]

    /// A device could not be registered.
    package struct NotRegistered: Error, CustomStringConvertible {
        /// What happened, for people.
        package var description: String { "a simulated device's id is in the record already, with another key" }
    }

    /// How many registrations are in flight at a time.
    private static let registrationsMax = 16
    /// How many devices hand captures off at a time, while the captures are small.
    private static let sendersMax = 64
    /// How many bytes are in flight at a time: an upload that waits past its client's timeout is not sent at all.
    private static let bytesOnTheirWayMax = 16 << 20

    /// Makes devices and registers them.
    /// - Parameters:
    ///   - appID: The app of the devices.
    ///   - now: The time of their registration.
    ///   - generator: Where their ids come from; their keys are always new.
    ///   - progress: Called with the number of devices registered so far.
    package static func register(
        _ count: Int, appID: String, in store: some CaptureStore, at now: Timestamp,
        using generator: inout some RandomNumberGenerator, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> Crowd {
        var members: [Member] = []
        for _ in 0..<count {
            members.append((DeviceID.make(using: &generator), SimulatedDevice(appID: appID)))
        }
        _ = try await inParallel(members, Self.registrationsMax, progress: progress) { member in
            guard try await store.register(registration(of: member, appID: appID, at: now)) == .created else {
                throw NotRegistered()
            }
        }
        return Crowd(devices: members)
    }

    /// Names the root that every worker and gateway trusts, whatever its `app.roots`: the crowd writes its own record.
    private static func registration(of member: Member, appID: String, at now: Timestamp) -> DeviceRegistration {
        let registered = Device(
            id: member.id, keyID: member.device.keyID,
            key: .attested(
                publicKey: member.device.publicKey, environment: .production, appID: appID,
                trustRoot: TrustRoot.appleAppAttestation.recordedName),
            platform: "ios", model: member.device.model, hasLidar: true, revokedAt: nil, registeredAt: now
        )
        return DeviceRegistration(
            device: registered, attestationObject: [0], clientDataHash: [0], certificateChain: [], receipt: nil,
            osVersion: nil, validationCategory: nil, bundleVersion: nil
        )
    }

    /// Queues one capture for each device and round, in the order of each device's counter.
    /// - Parameters:
    ///   - capture: The picture that all of them share; the signatures differ.
    ///   - handOff: Puts a capture into the queue.
    ///   - progress: Called with the number of captures queued so far, once for each device.
    package func enqueue(
        rounds: Int, sharing capture: SyntheticCapture, through handOff: HandOff<some Any, some Any>,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> [CaptureID: DeviceID] {
        let picture = SharedPicture(capture)
        let bytes = max(1, capture.photo.count + capture.depthMap.count)
        let concurrency = min(Self.sendersMax, max(1, Self.bytesOnTheirWayMax / bytes))
        let accepted = try await inParallel(devices, concurrency, progress: { progress($0 * rounds) }) { member in
            var ids: [CaptureID] = []
            for _ in 0..<rounds { ids.append(try await handOff.send(picture, from: member)) }
            return (member.id, ids)
        }
        return Dictionary(
            accepted.flatMap { member, ids in ids.map { ($0, member) } }, uniquingKeysWith: { first, _ in first })
    }
}

/// Runs a body for each element, with at most `concurrency` in flight at a time.
private func inParallel<Element: Sendable, Value: Sendable>(
    _ elements: [Element], _ concurrency: Int, progress: (Int) -> Void,
    _ body: @escaping @Sendable (Element) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        var values: [Value] = []
        for (started, element) in elements.enumerated() {
            if started >= concurrency, let value = try await group.next() {
                values.append(value)
                progress(values.count)
            }
            group.addTask { try await body(element) }
        }
        for try await value in group {
            values.append(value)
            progress(values.count)
        }
        return values
    }
}
