import CaptureModel
import DeviceSimulator

/// The captures that each device sends, decided before anything is sent.
struct SimulationPlan: Sendable {
    /// One simulated device.
    struct PlannedDevice: Sendable {
        /// Counts from 0.
        var index: Int
        /// Whether its chain ends in a root that the gateway trusts.
        var attested: Bool
        /// The format that its release of iOS writes.
        var format: WireFormat
        /// Its captures in the order of sending.
        var captures: [PlannedCapture] = []
    }

    /// One capture to be sent.
    struct PlannedCapture: Sendable {
        /// Counts from 1 over all devices.
        var number: Int
        var scenario: Scenario
        /// The seed of the capture's picture.
        var seed: UInt64
        /// Size of the photo.
        var photoBytes: Int
    }

    private(set) var devices: [PlannedDevice]

    /// Captures over all devices.
    var captureCount: Int { devices.reduce(0) { $0 + $1.captures.count } }

    /// Only good captures, distributed over attested devices.
    static func plain(devices: Int, captures: Int, photoBytes: ClosedRange<Int>, seed: UInt64) -> SimulationPlan {
        var plan = SimulationPlan(attested: devices, unattested: 0)
        plan.deal(genuine: captures, scripts: [], photoBytes: photoBytes, seed: seed)
        return plan
    }

    /// Every scenario at least once, and an unverified device, between good captures.
    static func showcase(devices: Int, captures: Int, photoBytes: ClosedRange<Int>, seed: UInt64) -> SimulationPlan {
        var plan = SimulationPlan(attested: max(1, devices - 1), unattested: 1)
        let scripts: [[Scenario]] = [
            [.genuine, .genuine, .retried, .genuine, .replayed, .genuine, .malleated],
            [.genuine, .staleCounter, .genuine, .staleCounter],
            [.genuine, .tamperedPhoto, .genuine, .tamperedDepth],
            [.genuine, .otherApp, .genuine, .otherKey],
        ]
        let scripted = scripts.reduce(0) { $0 + $1.count }
        plan.deal(
            genuine: max(0, captures - scripted), scripts: scripts, photoBytes: photoBytes, seed: seed
        )
        return plan
    }

    private init(attested: Int, unattested: Int) {
        devices = (0..<(attested + unattested)).map { index in
            let format = WireFormat.allCases[index % WireFormat.allCases.count]
            return PlannedDevice(index: index, attested: index < attested, format: format)
        }
    }

    /// Distributes the scripts over the attested devices and good captures over all, and numbers them.
    private mutating func deal(
        genuine: Int, scripts: [[Scenario]], photoBytes: ClosedRange<Int>, seed: UInt64
    ) {
        let attested = devices.count { $0.attested }
        var scenarios = [[Scenario]](repeating: [], count: devices.count)
        for (index, script) in scripts.enumerated() { scenarios[index % attested] += script }
        // The device with the fewest captures gets the next good one.
        for _ in 0..<genuine {
            let index = scenarios.indices.min { scenarios[$0].count < scenarios[$1].count } ?? 0
            scenarios[index].append(.genuine)
        }
        var generator = SeededGenerator(seed: seed)
        var number = 0
        for index in devices.indices {
            devices[index].captures = scenarios[index].map { scenario in
                number += 1
                return PlannedCapture(
                    number: number, scenario: scenario, seed: generator.next(),
                    photoBytes: Int.random(in: photoBytes, using: &generator)
                )
            }
        }
    }
}
