import Dispatch
import Glibc

/// A client of the simplest kind: it sends everything it has, and only then begins to read.
public enum BlockingSender {
    /// What a system call said.
    public struct Failure: Error {
        public let call: String
        public let errno: Int32
    }

    /// Sends the bytes to a port of this machine and reads to the end of the stream; not on the cooperative pool.
    public static func exchange(_ bytes: [UInt8], port: Int) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try exchangeNow(bytes, port: port) })
            }
        }
    }

    private static func exchangeNow(_ bytes: [UInt8], port: Int) throws -> String {
        let descriptor = try checked("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        _ = try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try checked("connect", connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)))
            }
        }
        var sent = 0
        while sent < bytes.count {
            sent += try bytes[sent...].withUnsafeBytes {
                try Int(checked("send", Int32(send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)))))
            }
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = try checked("recv", Int32(recv(descriptor, &chunk, chunk.count, 0))), count > 0 {
            answer += chunk[..<Int(count)]
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private static func checked(_ call: String, _ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw Failure(call: call, errno: Glibc.errno) }
        return result
    }
}
