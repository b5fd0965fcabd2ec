import CaptureModel
import Testing

@testable import RedisCaptureQueue

@Suite("The partition that other gateways compute as well")
struct PartitionVectorTests {
    private static let text = "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"

    @Test(arguments: [(1, 0), (2, 1), (4, 3), (8, 7), (16, 7)])
    func `the partition that other gateways compute is that of README's vector, in either case`(
        partitions: Int, number: Int
    ) throws {
        let keyspace = try #require(Keyspace(partitions: partitions))
        for text in [Self.text, Self.text.uppercased()] {
            let device = try #require(DeviceID(text))
            #expect(keyspace.partition(of: device).number == number)
        }
    }

    @Test func `the partition that other gateways compute is made of a CRC over the id's 36 characters in lower case`()
    {
        #expect(CRC16.checksum(Self.text.utf8) == 52_535)
    }
}
