import CaptureModel
import DeviceSimulator
import Foundation

/// Decides what a phone sends next, and makes it.
struct Repertoire {
    /// A capture ready to be sent.
    struct Item: Sendable {
        let sending: Sending
        let signed: SignedCapture
    }

    private let phone: Phone
    private let album: Album
    private var generator: SeededGenerator
    private var sent = 0
    /// The latest genuine captures that were accepted, for those that repeat them.
    private var genuine: [(signed: SignedCapture, counter: UInt32)] = []
    /// Counters that were passed over, each below one that was accepted since.
    private var unused: [UInt32] = []
    /// Counters that were passed over just now.
    private var passedOver: [UInt32] = []
    /// What is sent first, dealt from its end: every kind once, so that a short run meets all of them.
    private var opening: [Sending.Kind]

    /// Whether something of what is sent first is still to be sent.
    var isOpening: Bool { !opening.isEmpty }

    private static let genuineMax = 4
    /// This many captures of the opening are genuine, not counting the very first.
    private static let openingGenuine = 5

    init(phone: Phone, album: Album, generator: SeededGenerator) {
        self.phone = phone
        self.album = album
        self.generator = generator
        let attacks = Sending.Kind.allCases.filter { $0 != .genuine }
        let genuine = Array(repeating: Sending.Kind.genuine, count: Self.openingGenuine)
        // Those that repeat or fall behind something need a genuine one before them.
        opening = (attacks + genuine).shuffled(using: &self.generator) + [.genuine]
    }

    /// The next capture: each kind once in the opening; then 0.5 % replays, 0.5 % tampered, a few stale, some sent
    /// twice at once, all others as they should be.
    mutating func next() throws -> Item {
        let kind = draw()
        let signer = CaptureSigner(device: phone.device)
        let signed: SignedCapture
        let counter: UInt32
        switch kind {
        case .replayed:
            let old = genuine[Int.random(in: 0..<genuine.count, using: &generator)]
            signed = SignedCapture(
                capture: old.signed.capture.metadataRewritten(), assertion: old.signed.assertion,
                binding: old.signed.binding
            )
            counter = old.counter
        case .reused:
            counter = genuine[Int.random(in: 0..<genuine.count, using: &generator)].counter
            signed = try signer.sign(try album.take(using: &generator), counter: .exactly(counter))
        case .stale:
            counter = unused.removeLast()
            signed = try signer.sign(try album.take(using: &generator), counter: .exactly(counter))
        case .tamperedPhoto, .tamperedDepth:
            var changed = try signer.sign(try album.take(using: &generator))
            changed.capture =
                kind == .tamperedPhoto ? changed.capture.photoTampered() : changed.capture.depthMapTampered()
            signed = changed
            counter = phone.device.lastCounter
        case .genuine, .doubled:
            passOverSome()
            signed = try signer.sign(try album.take(using: &generator))
            counter = phone.device.lastCounter
        }
        defer { sent += 1 }
        let bundle = Sending.BundleKey(
            device: phone.id, assertion: .hash(signed.assertion), photo: .hash(signed.capture.photo),
            depth: .hash(signed.capture.depthMap), metadata: .hash(signed.capture.metadata)
        )
        return Item(
            sending: Sending(kind: kind, device: phone.id, number: sent, counter: counter, bundle: bundle),
            signed: signed
        )
    }

    /// Learns that an item was answered 202.
    mutating func wasAccepted(_ item: Item) {
        guard item.sending.expected == .verified else { return }
        genuine.append((item.signed, item.sending.counter))
        if genuine.count > Self.genuineMax { genuine.removeFirst() }
        unused += passedOver
        passedOver = []
    }

    /// Whether the phone sends a bundle again that it knows to be accepted, as one does that missed the answer.
    mutating func forgetsAnAnswer() -> Bool { Int.random(in: 0..<20, using: &generator) == 0 }

    /// A pause around a mean, exponentially distributed.
    mutating func pause(mean: Duration) -> Duration {
        mean * -log(Double.random(in: 1e-6..<1, using: &generator))
    }

    /// The next of the opening that can be sent already; after it whatever chance has.
    private mutating func draw() -> Sending.Kind {
        guard opening.isEmpty else {
            let index = opening.lastIndex { isPossible($0) }
            return index.map { opening.remove(at: $0) } ?? .genuine
        }
        let kind = drawAtRandom()
        return isPossible(kind) ? kind : .genuine
    }

    private mutating func drawAtRandom() -> Sending.Kind {
        let number = Int.random(in: 0..<1000, using: &generator)
        return switch number {
        case 0..<3: .replayed
        case 3..<5: .reused
        case 5..<10: .stale
        case 10..<13: .tamperedPhoto
        case 13..<15: .tamperedDepth
        case 15..<35: .doubled
        default: .genuine
        }
    }

    /// Whether there is something yet that a kind repeats or falls behind.
    private func isPossible(_ kind: Sending.Kind) -> Bool {
        switch kind {
        case .replayed, .reused: !genuine.isEmpty
        case .stale: !unused.isEmpty
        case .genuine, .doubled, .tamperedPhoto, .tamperedDepth: true
        }
    }

    /// Now and then, and before the first capture, an assertion is made that never reaches the gateways.
    private mutating func passOverSome() {
        let isNow = Int.random(in: 0..<50, using: &generator) == 0
        guard isNow || sent == 0 else { return }
        phone.device.skipCounters(1)
        passedOver.append(phone.device.lastCounter)
    }
}
