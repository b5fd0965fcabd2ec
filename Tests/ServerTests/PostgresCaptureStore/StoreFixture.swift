import CaptureModel
import CaptureStore
import FoundationEssentials
import HostNames
import Logging
import PostgresCaptureStore
import PostgresClient
import TestSupport
import Testing

/// The stores that keep the same promises.
enum StoreKind: CaseIterable, Sendable {
    case memory, postgres

    /// Runs a body on an empty store of this kind.
    func withStore(_ body: (any CaptureStore) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemoryCaptureStore(time: Timestamp.systemTime))
        case .postgres: try await withGrantedStore { store, _ async throws in try await body(store) }
        }
    }
}

/// Runs a body on a fresh, migrated database of the shared server.
func withPostgresStore(
    connections: Int = 4, _ body: (PostgresCaptureStore, PostgresClient) async throws -> Void
) async throws {
    let conninfo = try await PrivatePostgres.shared().createDatabase()
    try await withClient(conninfo, connections: connections) { client in
        _ = try await Migrator(client: client).up()
        try await body(PostgresCaptureStore(client: client), client)
    }
}

/// Runs a body on such a database as a role that has the rights which the programs are granted, and no other.
func withGrantedStore(
    connections: Int = 4, _ body: (PostgresCaptureStore, PostgresClient) async throws -> Void
) async throws {
    let server = try await PrivatePostgres.shared()
    let (database, conninfo) = try await server.createNamedDatabase()
    let role = "granted_\(database)"
    try await server.psql("CREATE ROLE \(role) LOGIN")
    try await withClient(conninfo, connections: 1) { owner in
        _ = try await Migrator(client: owner).up()
        _ = try await Migrator(client: owner).grant(to: role)
    }
    let own = conninfo.replacing("user=capture", with: "user=\(role)")
    try await withClient(own, connections: connections) { client in
        try await body(PostgresCaptureStore(client: client), client)
    }
}

/// Runs a body with a client of a fresh, empty database of the shared server.
func withDatabase(
    connections: Int = 4, _ configure: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: (PostgresClient) async throws -> Void
) async throws {
    try await withClient(PrivatePostgres.shared().createDatabase(), connections: connections, configure, body)
}

/// Runs a body with a client that is closed afterwards.
func withClient(
    _ conninfo: String, connections: Int = 4, names: HostNames = .system,
    _ configure: (inout PostgresConfiguration) -> Void = { _ in },
    _ body: (PostgresClient) async throws -> Void
) async throws {
    var configuration = PostgresConfiguration(conninfo: conninfo)
    configuration.connectionsMax = connections
    // The machine may be busy with everybody's tests.
    configuration.acquireTimeout = .seconds(60)
    configuration.connectTimeout = .seconds(30)
    configuration.statementTimeout = .seconds(60)
    configuration.lockTimeout = .seconds(60)
    configure(&configuration)
    let client = PostgresClient(configuration: configuration, logger: .quiet, names: names)
    do {
        try await body(client)
    } catch {
        await client.close()
        throw error
    }
    await client.close()
}

/// Seconds after a fixed start.
func moment(_ seconds: Int) -> Timestamp {
    Timestamp(millisecondsSince1970: 1_790_000_000_000 + Int64(seconds) * 1000)
}

extension DeviceRegistration {
    /// A registration whose key is told by a number.
    static func sample(
        key: UInt8 = 1, level: AttestationLevel = .secureEnclave, reason: String = Device.attestationMissing,
        id: DeviceID = DeviceID(UUID()), at registeredAt: Timestamp = moment(0)
    ) -> DeviceRegistration {
        let publicKey = [4] + [UInt8](repeating: key, count: 64)
        return DeviceRegistration(
            device: .phone(
                .of(level, publicKey: publicKey, appID: "TEAM000000.app.capture", reason: reason), id: id,
                model: "iPhone16,1", registeredAt: registeredAt, latestOSVersion: "18.1",
                // Nobody vouches for what an unverified one says.
                attestedApp: AttestedApp(validationCategories: level == .secureEnclave ? [3] : [])),
            attestationObject: [0xA3, 0, 255], clientDataHash: [1, 2, 3], certificateChain: [[48, 1], [48, 2, 0]],
            receipt: [], osVersion: "18.1", validationCategory: 3, bundleVersion: nil)
    }
}

extension ExaminedCapture {
    /// What a worker would hand over for a good capture, unless told otherwise.
    static func sample(
        _ device: Device?, counter: UInt32?, id: CaptureID = CaptureID(UUID()), upload: CaptureSubmission? = nil,
        rejection: Reason? = nil, confidence: Confidence = .high, receivedAt: Timestamp = moment(10), attempts: Int = 1,
        isRedriven: Bool = false, risk: JudgedRisk? = nil, clientDataHash: SHA256Digest = .hash([4])
    ) -> ExaminedCapture {
        let submission =
            upload
            ?? CaptureSubmission(
                id: id, device: device?.id ?? DeviceID(UUID()), bundleDigest: .hash([1]), binding: .framedV2,
                assertion: [0xA2, 0, 1], metadata: Array(#"{"a": 1}"#.utf8), photoDigest: .hash([2]),
                depthDigest: .hash([3]),
                photoBytes: 1000, depthBytes: 0, receivedAt: receivedAt, traceParent: nil)
        var checks = [Check(.device, .pass), Check(.assertion, .pass), Check(.photoHash, .unavailable, .notEvaluated)]
        if let rejection { checks[1] = Check(.assertion, .fail, rejection) }
        if risk != nil { checks.append(Check(.risk, .pass)) }
        return ExaminedCapture(
            job: CaptureJob(
                submission: submission, receivedAt: receivedAt, claimedAt: receivedAt, attempts: attempts,
                isRedriven: isRedriven),
            clientDataHash: clientDataHash, checks: checks,
            outcome: .of(device, counter: counter, confidence: confidence, rejection: rejection),
            capturedAt: receivedAt.advanced(by: .seconds(-1)), verifiedAt: receivedAt.advanced(by: .seconds(1)),
            risk: risk)
    }
}

extension CaptureStore {
    /// Registers a sample device.
    func registered(key: UInt8 = 1, level: AttestationLevel = .secureEnclave) async throws -> Device {
        let registration = DeviceRegistration.sample(key: key, level: level)
        #expect(try await register(registration) == .created)
        return registration.device
    }

    /// The highest counter of a verified capture of a device's key, as its record tells it.
    func captureCounter(of device: Device) async throws -> UInt32? {
        try await record(of: device.id)?.captureCounter
    }

    /// Settles captures of one device with these counters in one batch, and says why each was rejected.
    func reasons(
        _ device: Device, _ counters: [UInt32], policy: CounterPolicy = .strict
    ) async throws -> [Reason?] {
        try await settle(counters.map { .sample(device, counter: $0) }, policy: policy).map(\.reason)
    }
}
