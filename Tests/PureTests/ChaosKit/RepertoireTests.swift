import CaptureModel
import DeviceSimulator
import Testing

@testable import ChaosKit

@Suite("What a phone of a chaos run sends is the seed's")
struct RepertoireTests {
    /// The kinds that a phone sends one after the other.
    private static func kinds(seed: UInt64, count: Int, accepted: Bool = true) throws -> [Sending.Kind] {
        var generator = SeededGenerator(seed: seed)
        let phone = Phone(
            id: DeviceID.make(using: &generator), device: SimulatedDevice(appID: "TEAM123456.com.example.capture"))
        var repertoire = Repertoire(phone: phone, album: try Album(seed: seed, count: 2), generator: generator)
        var kinds: [Sending.Kind] = []
        for _ in 0..<count {
            let item = try repertoire.next()
            if accepted { repertoire.wasAccepted(item) }
            kinds.append(item.sending.kind)
        }
        return kinds
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `every kind comes once within the first twenty`(seed: UInt64) throws {
        let kinds = try Self.kinds(seed: seed, count: 20)
        #expect(Set(kinds) == Set(Sending.Kind.allCases), "\(kinds)")
        #expect(try Self.kinds(seed: seed, count: 20) == kinds)
    }

    @Test func `what repeats another waits until one was accepted`() throws {
        let kinds = try Self.kinds(seed: 1, count: 20, accepted: false)
        #expect(Set(kinds) == [.genuine, .doubled, .tamperedPhoto, .tamperedDepth], "\(kinds)")
    }
}
