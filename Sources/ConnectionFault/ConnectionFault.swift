import NIOCore
import NIOPosix
import NIOSSL
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What has become of a connection, in one line for people.
package enum ConnectionFault {
    /// What a system or TLS error says: without secrets, and without the libraries' own words for where in them it was
    /// met.
    /// - Parameter host: Who was connected to, for the one fault that does not know.
    package static func reason(of error: any Error, host: String? = nil) -> String {
        switch error {
        case let error as NIOConnectionError: reason(of: error)
        case let error as IOError: Errno(rawValue: error.errnoCode).description
        // It may be DNS that has said nothing: the time for a look-up is part of it.
        case ChannelError.connectTimeout: (host.map { "\($0): " } ?? "") + "no connection in time"
        case let error as NIOSSLError: reason(of: error)
        case let error as SocketAddressError.UnknownHost: reason(of: error)
        case let error as SocketAddressError: reason(of: error)
        default: String(describing: error)
        }
    }

    /// Of a name with several addresses the last one's.
    private static func reason(of error: NIOConnectionError) -> String {
        guard let failure = error.connectionErrors.last else {
            guard let fault = error.dnsAError ?? error.dnsAAAAError else { return isNone(error.host) }
            return reason(of: fault)
        }
        return "\(error.host):\(error.port): \(reason(of: failure.error))"
    }

    /// A name that is none is told from one that could not be looked up: DNS may be away.
    private static func reason(of error: SocketAddressError.UnknownHost) -> String {
        error.errorCode == Int(EAI_NONAME) ? isNone(error.host) : "\(error.host): \(error.errorDescription)"
    }

    private static func isNone(_ host: String) -> String { "\(host): no address has this name" }

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
