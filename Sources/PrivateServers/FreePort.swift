import Foundation
import Synchronization

/// Free TCP ports of the loopback interface.
package enum FreePort {
    /// Below the ports that systems assign on their own, to connections and to servers that ask for any port.
    ///
    /// So none of these is assigned by chance before it is used.
    private static let range = 10_000..<32_000
    private static let attemptsMax = 1_000
    private static let given = Mutex<Set<Int>>([])

    /// Finds a port that nobody listens on; it is never returned to this process again.
    ///
    /// If another process takes it before it is used, the server reports that and the test fails.
    /// - Throws: ``LeashedProcess/Failure`` when there is none.
    package static func take() throws -> Int {
        for _ in 0..<attemptsMax {
            let port = Int.random(in: range)
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            if try isFree(port) { return port }
        }
        throw LeashedProcess.Failure(description: "no free port")
    }

    private static func isFree(_ port: Int) throws -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw LeashedProcess.Failure(description: "no socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
