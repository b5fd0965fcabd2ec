import Foundation
import Testing

@testable import CaptureGateway

@Suite("New connections that a gateway has not accepted yet", .timeLimit(.minutes(1)))
struct WaitingConnectionsTests {
    @Test func `new connections have as many places as a gateway has connections: the kernel resets what finds none`()
        async throws
    {
        try await CapturesGateway.run {
            $0.connections.countMax = 1000
        } _: { gateway in
            let text = try String(contentsOfFile: "/proc/sys/net/core/somaxconn", encoding: .utf8)
            let systemMax = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(try Self.places(at: gateway.port) == min(1000, systemMax))
        }
    }

    /// What the kernel says of this process's socket that listens there.
    private static func places(at port: Int) throws -> Int? {
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        for descriptor in descriptors where Self.port(of: descriptor) == port {
            var info = tcp_info()
            var size = socklen_t(MemoryLayout<tcp_info>.size)
            let result = getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size)
            // For a socket that listens, this field is the length of its queue.
            if result == 0, Int(info.tcpi_state) == Int(TCP_LISTEN) { return Int(info.tcpi_sacked) }
        }
        return nil
    }

    private static func port(of descriptor: Int32) -> Int? {
        // Family and port as they lie in `sockaddr_in`, which several C modules declare.
        var address = [UInt8](repeating: 0, count: 16)
        var size = socklen_t(address.count)
        let result = address.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &size) }
        }
        let family = address.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) }
        guard result == 0, family == sa_family_t(AF_INET) else { return nil }
        return Int(address[2]) << 8 | Int(address[3])
    }
}
