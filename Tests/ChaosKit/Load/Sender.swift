import CaptureModel
import DeviceSimulator
import GatewayClient
import TestSupport

/// Sends one phone's captures in their order, each as often as it takes until it is answered 202.
struct Sender: Sendable {
    let phone: Phone
    let gateways: [GatewayClient]
    let journal: Journal
    /// The mean pause between two captures.
    let pace: Duration
    /// When the last capture begins.
    let end: ContinuousClock.Instant
    /// Whether its opening is sent to the end, however long that takes: it shows whether each kind was met.
    let sendsWholeOpening: Bool
    /// When even an unanswered one is given up.
    let patience: ContinuousClock.Instant

    /// Sends until the end of the load.
    func run(_ repertoire: Repertoire) async throws {
        var repertoire = repertoire
        var first = 0
        while goesOn(repertoire) {
            let item = try repertoire.next()
            let place = journal.begin(item.sending)
            let answered: Bool
            if item.sending.kind == .doubled {
                async let one = insist(item, place, from: 0)
                async let other = insist(item, place, from: 1)
                let both = try await (one, other)
                answered = both.0 && both.1
            } else {
                answered = try await insist(item, place, from: first)
            }
            if answered {
                repertoire.wasAccepted(item)
                // A client's retry of what was accepted long ago, or just now.
                if repertoire.forgetsAnAnswer() { _ = try await insist(item, place, from: first + 1) }
            }
            first += 1
            try await letTimePass(repertoire.pause(mean: pace))
        }
    }

    private func goesOn(_ repertoire: Repertoire) -> Bool {
        let now = ContinuousClock.now
        return now < end || (sendsWholeOpening && repertoire.isOpening && now < patience)
    }

    /// Sends a bundle to one gateway after the other until one takes it; `false` when it was refused or time was over.
    private func insist(_ item: Repertoire.Item, _ place: Int, from first: Int) async throws -> Bool {
        var pause = Duration.milliseconds(100)
        for attempt in 0... {
            let gateway = gateways[(first + attempt) % gateways.count]
            do throws(GatewayError) {
                let receipt = try await gateway.upload(item.upload, device: phone.id)
                journal.accepted(place, as: receipt.captureID)
                return true
            } catch .refused(let refusal) where refusal.status < 500 && refusal.status != 429 {
                journal.refused(place, "\(refusal.status) \(refusal.code) \(refusal.message)")
                return false
            } catch .refused(let refusal) {
                journal.setback(place, "\(refusal.status) \(refusal.code)")
            } catch {
                journal.setback(place, "no answer")
            }
            guard ContinuousClock.now < patience else { return false }
            try await letTimePass(pause)
            pause = min(pause * 2, .seconds(1))
        }
        return false
    }
}

extension Repertoire.Item {
    /// The parts of its upload.
    var upload: CaptureUpload {
        CaptureUpload(
            photo: signed.capture.photo, depthMap: signed.capture.depthMap, metadata: signed.capture.metadata,
            assertion: signed.assertion
        )
    }
}
