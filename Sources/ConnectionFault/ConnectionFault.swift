import NIOCore
import NIOPosix
import NIOSSL
import SystemPackage

/// What has become of a connection, in one line for people.
package enum ConnectionFault {
    /// What a system or TLS error says: without secrets, and without the libraries' own words for where in them it was
    /// met.
    package static func reason(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError: reason(of: error)
        case let error as IOError: Errno(rawValue: error.errnoCode).description
        case ChannelError.connectTimeout: "it does not answer"
        case let error as NIOSSLError: reason(of: error)
        case let error as SocketAddressError.UnknownHost: "\(error.host): no address has this name"
        case let error as SocketAddressError: reason(of: error)
        default: String(describing: error)
        }
    }

    /// Of a name with several addresses the last one's.
    private static func reason(of error: NIOConnectionError) -> String {
        guard let failure = error.connectionErrors.last else { return "\(error.host): no address has this name" }
        return "\(error.host):\(error.port): \(reason(of: failure.error))"
    }

    /// Of an address that cannot even be asked for.
    private static func reason(of error: SocketAddressError) -> String {
        switch error {
        case .unixDomainSocketPathTooLong: "the path of the socket is too long"
        case .failedToParseIPString(let text): "\(text) is no IP address"
        default: "the system has no such address"
        }
    }

    /// BoringSSL's are `Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …`.
    private static func reason(of error: NIOSSLError) -> String {
        let text = String(describing: error)
        guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return text }
        return "TLS: \(text[start...].prefix { $0 != " " && $0 != "]" })"
    }
}
