import AppAttest
import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import Logging
import Synchronization
import TestSupport

@testable import CaptureGateway

/// A gateway over memory on a loopback port, with a registered phone and what a test may ask of both.
struct CapturesGateway: Sendable {
    /// What the gateway works with.
    let backend: Backend
    /// Sends requests.
    let caller: GatewayCaller

    /// Where the gateway listens.
    var port: Int { caller.port }

    struct Backend: Sendable {
        let time = ManualTime()
        let bundles = MemoryBundleStore()
        /// The way to them.
        let faultyBundles: FaultyBundles
        let queue: FaultyQueue
        let store: MemoryCaptureStore
        let changes = MemoryStateChanges()
        let phone = SimulatedDevice(appID: GatewayFixture.appID)
        let device: DeviceID
        /// Where there is one.
        let ledger: MemoryIntakeLedger?
        /// The way to it.
        let gatedLedger: GatedLedger?
        /// How often an upload found the queue waiting to be restored.
        let restoringCalls = CallCount()

        init(limits: MemoryCaptureQueue.Configuration, hasLedger: Bool) {
            ledger = hasLedger ? MemoryIntakeLedger(time: time.source) : nil
            faultyBundles = FaultyBundles(bundles)
            gatedLedger = ledger.map(GatedLedger.init)
            queue = FaultyQueue(MemoryCaptureQueue(configuration: limits, time: time.source, bundles: bundles))
            store = MemoryCaptureStore(time: time.source)
            var generator = SystemRandomNumberGenerator()
            device = DeviceID.make(using: &generator)
        }

        var dependencies: GatewayDependencies {
            var dependencies = GatewayDependencies(
                queue: queue, bundles: faultyBundles, store: store,
                challenges: MemoryChallengeStore(time: time.source), limiter: NoLimit(), changes: changes,
                metrics: nil, now: time.source,
                random: {
                    var generator = SystemRandomNumberGenerator()
                    return generator.next()
                }, logger: .quiet
            )
            dependencies.intake = gatedLedger
            dependencies.onRestoring = { restoringCalls.add() }
            return dependencies
        }
    }

    /// Runs a gateway for as long as the test's body runs.
    static func run(
        logger: Logger = .quiet, configure: (inout GatewayConfiguration) -> Void = { _ in },
        limits: MemoryCaptureQueue.Configuration = .init(), hasLedger: Bool = false,
        _ body: @Sendable @escaping (CapturesGateway) async throws -> Void
    ) async throws {
        guard let app = AppID(GatewayFixture.appID) else { throw UnexpectedGround() }
        var configuration = GatewayConfiguration(appIDs: [app])
        configuration.connections.port = 0
        configuration.access.readTokenDigests = [.hash(Array(GatewayFixture.readToken.utf8))]
        configure(&configuration)
        let backend = Backend(limits: limits, hasLedger: hasLedger)
        var dependencies = backend.dependencies
        dependencies.logger = logger
        dependencies.outages = Outages(logger: logger)
        try await GatewayFixture.serve(configuration, dependencies, isPatient: false) { caller in
            let gateway = CapturesGateway(backend: backend, caller: caller)
            try await gateway.register(backend.phone, as: backend.device)
            try await body(gateway)
        }
    }

    /// Puts a device in the record.
    func register(
        _ phone: SimulatedDevice, as id: DeviceID, level: AttestationLevel = .secureEnclave,
        isReadable: Bool = true
    ) async throws {
        try await backend.store.register(
            phone, as: id, level: level, isReadable: isReadable, at: backend.time.source())
    }

    /// A new device of the same app, registered.
    func otherDevice(
        level: AttestationLevel = .secureEnclave, isReadable: Bool = true
    ) async throws -> (phone: SimulatedDevice, id: DeviceID) {
        let phone = SimulatedDevice(appID: GatewayFixture.appID)
        var generator = SystemRandomNumberGenerator()
        let id = DeviceID.make(using: &generator)
        try await register(phone, as: id, level: level, isReadable: isReadable)
        return (phone, id)
    }

    /// A capture of the phone, signed.
    func capture(
        seed: UInt64 = 1, binding: Binding = .concatV1, counter: CounterChoice = .next, flaw: AssertionFlaw? = nil
    ) throws -> SignedCapture {
        let capture = try SyntheticCapture(
            seed: seed, photoBytes: 60_000, capturedAt: backend.time.source(),
            binding: binding == .concatV1 ? nil : binding
        )
        return try CaptureSigner(device: backend.phone, binding: binding).sign(capture, counter: counter, flaw: flaw)
    }

    /// The headers of a request that a device signs, by a clock that may be off.
    func credentials(
        _ phone: SimulatedDevice, _ id: DeviceID, body: [UInt8] = [], at offset: Duration = .zero
    ) throws -> [(String, String)] {
        let signed = try CaptureSigner(device: phone).sign(
            body: body, device: id, at: backend.time.now.advanced(by: offset))
        return [
            ("X-Device-Id", "\(signed.device)"), ("X-Device-Timestamp", signed.timestamp),
            ("X-Device-Signature", signed.assertion.base64),
        ]
    }

    static let dashboard = [("Authorization", "Bearer \(GatewayFixture.readToken)")]
}

/// Counts calls.
final class CallCount: Sendable {
    private let calls = Mutex(0)

    var count: Int { calls.withLock { $0 } }

    func add() { calls.withLock { $0 += 1 } }
}
