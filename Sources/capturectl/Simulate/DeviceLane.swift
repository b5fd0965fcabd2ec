import CaptureModel
import DeviceSimulator
import GatewayClient

/// Sends one device's captures one after the other, as a phone does, and then waits for their verdicts.
struct DeviceLane: Sendable {
    /// The captures to send.
    let plan: SimulationPlan.PlannedDevice
    /// The phone that signs.
    let phone: SimulatedDevice
    /// The phone's id at the gateway.
    let device: DeviceID
    let gateway: GatewayClient
    /// The token to read statuses; without it the device signs its requests for them.
    let token: String?
    /// How long to wait for each verdict.
    let patience: Duration
    let progress: SimulationProgress

    /// Counters skipped at the start, for captures that arrive too late.
    private static let staleCounters: UInt32 = 16

    /// A good capture that the gateway accepted, for later captures that repeat it.
    private struct Sent {
        var capture: SignedCapture
        var id: CaptureID
    }

    /// The gateway's answer to an upload.
    private struct Answer {
        var capture: CaptureID?
        /// The outcome; `nil` until a worker decides.
        var outcome: Outcome?
        var upload: Duration
    }

    /// Sends all captures, and waits for all verdicts; cancelled, it tells of those that were answered by then.
    func run() async -> [CaptureRecord] {
        phone.skipCounters(Self.staleCounters)
        var answers: [Answer] = []
        var last: Sent?
        var stale: UInt32 = 0
        for planned in plan.captures {
            if planned.scenario == .staleCounter { stale += 1 }
            guard let answer = await send(planned, staleCounter: stale, last: &last) else { break }
            answers.append(answer)
            progress.sentOne()
        }
        var records: [CaptureRecord] = []
        for (planned, answer) in zip(plan.captures, answers) {
            let outcome: Outcome
            if let known = answer.outcome {
                outcome = known
            } else if let capture = answer.capture {
                outcome = await settled(capture)
            } else {
                outcome = .failed("no capture id")
            }
            progress.finishedOne()
            records.append(
                CaptureRecord(
                    planned, device: plan.index, capture: answer.capture, outcome: outcome,
                    expectation: planned.scenario.expectation(level: plan.attested ? .secureEnclave : .unverified),
                    upload: answer.upload
                )
            )
        }
        return records
    }

    /// Sends a capture; `nil` if the run was stopped before the gateway had answered.
    private func send(
        _ planned: SimulationPlan.PlannedCapture, staleCounter: UInt32, last: inout Sent?
    ) async -> Answer? {
        guard !Task.isCancelled else { return nil }
        let clock = ContinuousClock()
        do {
            let signed = try sign(planned, staleCounter: staleCounter, last: last?.capture)
            let started = clock.now
            let receipt = try await gateway.upload(signed.upload, device: device)
            let upload = started.duration(to: clock.now)
            if planned.scenario == .genuine { last = Sent(capture: signed, id: receipt.captureID) }
            return Answer(
                capture: receipt.captureID, outcome: repeated(planned.scenario, receipt.captureID, of: last),
                upload: upload)
        } catch GatewayError.refused(let refusal) {
            return Answer(outcome: .refused(refusal), upload: .zero)
        } catch {
            guard !Task.isCancelled else { return nil }
            return Answer(outcome: .failed(String(describing: error)), upload: .zero)
        }
    }

    /// The outcome that the receipt of a repeated capture shows already; `nil` if a worker has to decide.
    private func repeated(_ scenario: Scenario, _ capture: CaptureID, of earlier: Sent?) -> Outcome? {
        let isSame = capture == earlier?.id
        return switch scenario {
        case .retried: isSame ? .sameCapture(capture) : .failed("a retry became another capture")
        case .malleated: isSame ? .sameCapture(capture) : nil
        default: nil
        }
    }

    /// Makes and signs a capture, with the fault that its scenario demands.
    private func sign(
        _ planned: SimulationPlan.PlannedCapture, staleCounter: UInt32, last: SignedCapture?
    ) throws(SimulatorError) -> SignedCapture {
        if planned.scenario.repeatsEarlier {
            guard var copy = last else { throw SimulatorError(.capture, "there is no capture to repeat") }
            if planned.scenario == .malleated { return try copy.malleated() }
            if planned.scenario == .replayed { copy.capture = copy.capture.metadataRewritten() }
            return copy
        }
        let capture = try SyntheticCapture(
            seed: planned.seed, photoBytes: planned.photoBytes, capturedAt: Timestamp.systemTime(),
            deviceModel: phone.model
        )
        let signer = CaptureSigner(device: phone)
        switch planned.scenario {
        case .staleCounter: return try signer.sign(capture, counter: .exactly(staleCounter))
        case .otherApp: return try signer.sign(capture, flaw: .otherAppID)
        case .otherKey: return try signer.sign(capture, flaw: .keyOfOtherDevice)
        case .tamperedPhoto:
            var signed = try signer.sign(capture)
            signed.capture = capture.photoTampered()
            return signed
        case .tamperedDepth:
            var signed = try signer.sign(capture)
            signed.capture = capture.depthMapTampered()
            return signed
        case .genuine, .retried, .replayed, .malleated: return try signer.sign(capture)
        }
    }

    /// Waits for a worker's verdict; if the status has no confidence, reads it from the provenance result.
    private func settled(_ capture: CaptureID) async -> Outcome {
        do {
            var status = try await gateway.settled(capture, within: patience, as: credentials)
            if status.state == .verified, status.confidence == nil {
                let provenance = try await gateway.provenance(capture, as: credentials)
                status.confidence = provenance["confidence"]?.string.flatMap(Confidence.init(rawValue:))
            }
            guard !status.state.isWaiting else {
                return .failed("still \(status.state.rawValue) after \(patience.components.seconds) s")
            }
            return .answered(status)
        } catch {
            return Task.isCancelled ? .stopped : .failed(error.description)
        }
    }

    /// The credentials with which statuses are read.
    private var credentials: Credentials.Source {
        if let token { return { _ in .token(token) } }
        return { [phone, device] body in
            let signed = try CaptureSigner(device: phone)
                .sign(body: body, device: device, at: Timestamp.systemTime())
            return .device(signed.device, timestamp: signed.timestamp, signature: signed.assertion)
        }
    }
}

extension SignedCapture {
    /// The parts of its upload; the binding is the app's, which gateways assume.
    fileprivate var upload: CaptureUpload {
        CaptureUpload(
            photo: capture.photo, depthMap: capture.depthMap, metadata: capture.metadata, assertion: assertion
        )
    }
}
