import CaptureModel
import DeviceSimulator
import Testing

@testable import ChaosKit

@Suite("The auditor of chaos runs finds whatever evidence is doctored")
struct AuditorTests {
    /// Two devices, three genuine captures each, a replay, a stale one and a tampered one: all as it should be.
    private static func cleanEvidence() -> Evidence {
        var generator = SeededGenerator(seed: 3)
        let devices = (0..<2).map { _ in DeviceID.make(using: &generator) }
        var entries: [Journal.Entry] = []
        var rows: [RecordRow] = []
        var counters: [DeviceID: UInt32] = [:]
        var clock: Int64 = 1_000_000
        for device in devices {
            let kinds: [(Sending.Kind, UInt32)] = [
                (.genuine, 1), (.genuine, 2), (.replayed, 2), (.tamperedPhoto, 3), (.genuine, 5), (.stale, 4),
            ]
            for (number, (kind, counter)) in kinds.enumerated() {
                clock += 1_000_000
                let digest = SHA256Digest.hash(Array("\(device) \(number)".utf8))
                let sending = Sending(
                    kind: kind, device: device, number: number, counter: counter,
                    bundle: .init(device: device, assertion: digest, photo: digest, depth: digest, metadata: digest)
                )
                let id = CaptureID.make(at: Timestamp(microsecondsSince1970: clock), using: &generator)
                var entry = Journal.Entry(sending: sending, sentAt: Timestamp(microsecondsSince1970: clock))
                entry.accepted = [(id, Timestamp(microsecondsSince1970: clock + 1000))]
                entries.append(entry)
                rows.append(
                    RecordRow(
                        capture: id, bundle: sending.bundle, device: device, verdict: sending.expected,
                        counter: counter, settledAt: Timestamp(microsecondsSince1970: clock + 5000)
                    )
                )
            }
            counters[device] = 5
        }
        return Evidence(entries: entries, rows: rows, counters: counters)
    }

    private static func kinds(_ evidence: Evidence) -> [Violation.Kind] {
        var options = ChaosOptions(seed: 3, duration: .seconds(60))
        options.memoryBytesMax = 1 << 20
        return Auditor(evidence, options).violations().map(\.kind)
    }

    /// One way to doctor evidence, and what has to be found.
    struct Doctoring: Sendable, CustomTestStringConvertible {
        let found: [Violation.Kind]
        let doctor: @Sendable (inout Evidence) -> Void
        let testDescription: String

        init(_ name: String, _ found: [Violation.Kind], _ doctor: @escaping @Sendable (inout Evidence) -> Void) {
            testDescription = name
            self.found = found
            self.doctor = doctor
        }
    }

    @Test func `evidence that is as it should be has no violations`() {
        #expect(Self.kinds(Self.cleanEvidence()).isEmpty)
    }

    @Test(arguments: [
        Doctoring("a result is gone", [.lost]) { $0.rows.remove(at: 1) },
        Doctoring("a capture is buried", [.deadLetter]) { evidence in
            evidence.dead = [evidence.rows.remove(at: 1).capture]
        },
        Doctoring("a bundle has two results", [.settledTwice]) { evidence in
            var copy = evidence.rows[3]
            copy.capture = CaptureID.another
            evidence.rows.append(copy)
        },
        Doctoring("a bundle was answered with two ids", [.answeredTwice]) {
            $0.entries[0].accepted.append((CaptureID.another, $0.entries[0].sentAt))
        },
        Doctoring("a result is nobody's", [.unasked]) { evidence in
            var copy = evidence.rows[5]
            copy.capture = CaptureID.another
            copy.bundle = .init(text: "other")
            evidence.rows.append(copy)
        },
        Doctoring("a result is about other bytes", [.wrongVerdict]) { $0.rows[3].bundle = .init(text: "other") },
        Doctoring("a tampered capture counts", [.wrongVerdict]) { $0.rows[3].verdict = .verified },
        Doctoring("a genuine capture is a replay", [.falseReplay]) { $0.rows[1].verdict = .rejected(.counterReplay) },
        Doctoring("a genuine capture is stale", [.falseReplay]) { $0.rows[1].verdict = .rejected(.counterStale) },
        Doctoring("a genuine capture is refused for its signature", [.wrongVerdict]) {
            $0.rows[1].verdict = .rejected(.signatureInvalid)
        },
        Doctoring("a result has another counter than was signed", [.wrongVerdict]) { $0.rows[1].counter = 3 },
        Doctoring("a result that counts has no counter", [.wrongVerdict]) { $0.rows[1].counter = nil },
        Doctoring("a stored counter is too low", [.counterRegression]) { $0.counters[$0.rows[0].device] = 2 },
        Doctoring("a counter was seen to go down", [.counterRegression]) { $0.regressions = ["5, then 4"] },
        Doctoring("two captures of a device changed places", [.orderViolation]) { evidence in
            evidence.rows[0].settledAt = evidence.rows[1].settledAt
            evidence.rows[1].settledAt = evidence.entries[0].sentAt
        },
        Doctoring("an upload was refused", [.refused]) { $0.entries[0].refusal = "401" },
        Doctoring("an upload was never answered", [.unanswered]) { $0.entries[0].accepted = [] },
        Doctoring("a key is left", [.leftoverKey]) { $0.leftoverKeys = ["{cq:0}:lane:x"] },
        Doctoring("a row of the ledger is open", [.leftoverRow]) { $0.openRows = ["capture"] },
        Doctoring("a file is left that is not swept", [.leftoverFile]) { $0.leftoverFiles = ["0f/first"] },
        Doctoring("bundles are left and nothing broke", [.orphan]) { $0.orphans = 1_000 },
        Doctoring("bundles are left by a worker that went on", [.orphan, .orphan]) { evidence in
            evidence.neglected = evidence.rows.prefix(2).map(\.capture)
        },
        Doctoring("a program ended by itself", [.crash]) { $0.crashes = ["worker-1 ended"] },
        Doctoring("a program used too much memory", [.memory]) { $0.memory = ["worker-1": 2 << 20] },
    ])
    func `what is not as it should be is found, and nothing else`(doctoring: Doctoring) {
        var evidence = Self.cleanEvidence()
        doctoring.doctor(&evidence)
        #expect(Self.kinds(evidence) == doctoring.found)
    }

    @Test func `bundles are left as far as what broke explains it, and no further`() {
        var evidence = Self.cleanEvidence()
        evidence.orphans = 1
        #expect(Self.kinds(evidence) == [.orphan])
        // A phone that sent it in vain may have left its bytes.
        evidence.entries[0].setbacks = [("no answer", evidence.entries[0].sentAt)]
        #expect(Self.kinds(evidence).isEmpty)
        // All that was settled, at the most, when every worker was interrupted; and nothing by what meets none.
        evidence.orphans = 1 + evidence.rows.count
        evidence.faults = [.postgresKilled(downFor: .zero)]
        #expect(Self.kinds(evidence) == [.orphan])
        evidence.faults = [.redisFlushed]
        #expect(Self.kinds(evidence).isEmpty)
        evidence.orphans += 1
        #expect(Self.kinds(evidence) == [.orphan])
    }
}

extension CaptureID {
    /// An id that is nobody's.
    fileprivate static var another: CaptureID {
        var generator = SeededGenerator(seed: 99)
        return CaptureID.make(at: Timestamp(millisecondsSince1970: 1), using: &generator)
    }
}
