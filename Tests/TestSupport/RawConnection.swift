import Dispatch
import Foundation
import Synchronization

/// A client's TCP connection of which every byte is the test's own.
///
/// Whatever may block does so on a thread of the system's, not of the cooperative pool. A task that is cancelled
/// meanwhile shuts the connection down.
package final class RawConnection: Sendable {
    private let descriptor: Int32
    private let isClosed = Mutex(false)

    /// Connects to a port of this machine.
    /// - Parameters:
    ///   - source: The address of this machine to come from, such as 0x7F00_0002; the usual one when not given.
    ///   - receiveBytes: What the kernel may keep of answers that nobody reads; its own idea when not given.
    package init(port: Int, from source: UInt32? = nil, receiveBytes: Int32? = nil) throws {
        descriptor = try Self.checked("socket", socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        if var bytes = receiveBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        do {
            if let source { try Self.call("bind", source, port: 0) { Foundation.bind(descriptor, $0, $1) } }
            try Self.call("connect", 0x7F00_0001, port: port) { Foundation.connect(descriptor, $0, $1) }
        } catch {
            Foundation.close(descriptor)
            throw error
        }
    }

    deinit { close() }

    /// Sends text.
    package func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Sends bytes.
    package func send(_ bytes: [UInt8]) async throws {
        try await offPool { [descriptor] in
            var sent = 0
            while sent < bytes.count {
                sent += try bytes[sent...].withUnsafeBytes {
                    try Self.checked("send", Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)))
                }
            }
        }
    }

    /// Says that nothing more will be sent.
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until the text is as wanted, if anything is, or the stream ends; a reset counts as its end.
    package func read(until isEnough: (@Sendable (String) -> Bool)? = nil) async throws -> String {
        try await offPool { [descriptor] in
            var answer: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = recv(descriptor, &chunk, chunk.count, 0)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                answer += chunk[..<count]
                if let isEnough, isEnough(String(decoding: answer, as: UTF8.self)) { break }
            }
            return String(decoding: answer, as: UTF8.self)
        }
    }

    /// Closes with a reset instead of a farewell.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Closes.
    package func close() {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            isClosed = true
            Foundation.close(descriptor)
        }
    }

    /// Ends whatever blocks; under the lock, as a descriptor that is closed may be somebody else's by then.
    private func hangUp() {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    private func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
            }
        } onCancel: {
            hangUp()
        }
    }

    /// Makes a call that takes an address.
    private static func call(
        _ name: String, _ host: UInt32, port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(host).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        _ = try checked(name, result)
    }

    private static func checked<Number: BinaryInteger>(_ call: String, _ result: Number) throws -> Number {
        guard result >= 0 else { throw LeashedProcess.Failure(description: "\(call): errno \(errno)") }
        return result
    }
}
