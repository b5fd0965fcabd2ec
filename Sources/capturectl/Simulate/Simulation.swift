import CaptureModel
import DeviceSimulator
import GatewayClient

/// Registers simulated devices with a gateway, and lets them send the captures of a plan.
struct Simulation: Sendable {
    let plan: SimulationPlan
    /// The app that the devices' keys belong to.
    let appID: String
    /// Attests the devices that the gateway is to trust.
    let authority: TestCertificateAuthority
    /// Attests the devices that the gateway is not to trust.
    let stranger: TestCertificateAuthority
    /// Signs the receipts of the devices that the gateway is to trust.
    let receipts: TestReceiptIssuer
    let gateway: GatewayClient
    let token: String?
    /// How many devices send at a time.
    let concurrency: Int
    /// How long to wait for each verdict.
    let patience: Duration
    let progress: SimulationProgress

    /// The outcomes of devices and captures, in the order of their numbers.
    struct Result: Sendable {
        var devices: [SimulatedDeviceRecord] = []
        var captures: [CaptureRecord] = []
        /// From the first registration to the last verdict.
        var elapsed: Duration = .zero
    }

    /// Runs the plan; cancelled, it tells how far it came.
    func run() async -> Result {
        let clock = ContinuousClock()
        let started = clock.now
        var result = Result()
        var lanes: [DeviceLane] = []
        for device in plan.devices {
            guard let (record, lane) = await register(device) else { break }
            result.devices.append(record)
            if let lane { lanes.append(lane) }
            // If the gateway is away, it is not asked again for every device.
            if record.unreachable { break }
        }
        result.captures = await send(lanes).sorted { $0.number < $1.number }
        result.elapsed = started.duration(to: clock.now)
        progress.finish()
        return result
    }

    /// Runs the lanes, at most `concurrency` at a time.
    private func send(_ lanes: [DeviceLane]) async -> [CaptureRecord] {
        await withTaskGroup(of: [CaptureRecord].self) { group in
            var waiting = lanes.makeIterator()
            for lane in lanes.prefix(concurrency) {
                _ = waiting.next()
                group.addTask { await lane.run() }
            }
            var records: [CaptureRecord] = []
            for await done in group {
                records += done
                if !Task.isCancelled, let lane = waiting.next() { group.addTask { await lane.run() } }
            }
            return records
        }
    }

    /// Registers a device; `nil` if the run was stopped before the gateway had answered.
    private func register(_ planned: SimulationPlan.PlannedDevice) async -> (SimulatedDeviceRecord, DeviceLane?)? {
        guard !Task.isCancelled else { return nil }
        let phone = SimulatedDevice(appID: appID, format: planned.format)
        var record = SimulatedDeviceRecord(number: planned.index + 1, expected: false)
        do {
            let answer = try await gateway.registerSimulated(
                phone, authority: planned.attested ? authority : stranger,
                receipts: planned.attested ? receipts : nil)
            record.device = answer.device
            record.level = answer.level
            record.reason = answer.reason
            record.expected = (answer.level == .secureEnclave) == planned.attested
            let reason = answer.reason.map { " (\($0))" } ?? ""
            progress.note("\(record.title) registered: \(answer.level.rawValue)\(reason)")
            let lane = DeviceLane(
                plan: planned, phone: phone, device: answer.device, gateway: gateway, token: token,
                patience: patience, progress: progress
            )
            return (record, lane)
        } catch GatewayError.refused(let refusal) {
            // Under the policy `reject`, an attestation without a trusted root must end like this.
            record.reason = refusal.code
            record.expected = !planned.attested && refusal.code == "ATTESTATION_FAILED"
            progress.note("\(record.title) was refused: \(refusal.status) \(refusal.code) \(refusal.message)")
            return (record, nil)
        } catch {
            guard !Task.isCancelled else { return nil }
            record.reason = String(describing: error)
            switch error as? GatewayError {
            case .unreachable?, .untrusted?, .elsewhere?: record.unreachable = true
            default: break
            }
            progress.note("\(record.title) could not register: \(error)")
            return (record, nil)
        }
    }
}
