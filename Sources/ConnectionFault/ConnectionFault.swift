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

/// Says in one line for people why a connection failed.
package enum ConnectionFault {
    /// The reason in a system or TLS error, without secrets and without the libraries' internal places.
    /// - Parameter host: The host of the connection, for the one error that does not contain it.
    package static func reason(of error: any Error, host: String? = nil) -> String {
        switch error {
        case let error as NIOConnectionError: reason(of: error)
        case let error as IOError: Errno(rawValue: error.errnoCode).description
        // It may be DNS that did not answer: the limit includes the look-up.
        case ChannelError.connectTimeout: (host.map { "\($0): " } ?? "") + "no connection in time"
        case let error as NIOSSLError: word(of: error).map { "TLS: \(words(for: $0))" } ?? String(describing: error)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "TLS: the certificate is for another host"
        case let error as SocketAddressError.UnknownHost: reason(of: error)
        case let error as SocketAddressError: reason(of: error)
        default: String(describing: error)
        }
    }

    /// Whether certificates or TLS itself are at fault, and not the network or an end without a goodbye.
    package static func isOfTLS(_ error: any Error) -> Bool {
        switch error {
        case let error as NIOSSLError: word(of: error) != nil
        case let error as NIOSSLExtraError: error == .failedToValidateHostname
        default: false
        }
    }

    /// Whether this side has found that the other one's certificate is not to be trusted, or that it does not speak TLS.
    ///
    /// Then nothing was sent, and it does not pass by itself. What the other side says in an alert may pass: a proxy
    /// that restarts sends some.
    package static func isUntrusted(_ error: any Error) -> Bool {
        switch error {
        case let error as NIOSSLError:
            if case .handshakeFailed = error, let fault = word(of: error) {
                [verifyFailed, "WRONG_VERSION_NUMBER"].contains(fault)
            } else {
                false
            }
        case let error as NIOSSLExtraError: error == .failedToValidateHostname
        default: false
        }
    }

    /// The reason of a failed connection; for a name with several addresses, that of the last one.
    private static func reason(of error: NIOConnectionError) -> String {
        guard let failure = error.connectionErrors.last else {
            guard let fault = error.dnsAError ?? error.dnsAAAAError else { return isNone(error.host) }
            return reason(of: fault)
        }
        return "\(error.host):\(error.port): \(reason(of: failure.error))"
    }

    /// The reason of a failed look-up: an unknown name, or DNS that may be away.
    private static func reason(of error: SocketAddressError.UnknownHost) -> String {
        error.errorCode == Int(EAI_NONAME) ? isNone(error.host) : "\(error.host): \(error.errorDescription)"
    }

    private static func isNone(_ host: String) -> String { "\(host): no address has this name" }

    /// The reason of an address that is not even tried.
    private static func reason(of error: SocketAddressError) -> String {
        switch error {
        case .unixDomainSocketPathTooLong: "the path of the socket is too long"
        case .failedToParseIPString(let text): "\(text) is no IP address"
        default: "the system has no such address"
        }
    }

    private static let verifyFailed: Substring = "CERTIFICATE_VERIFY_FAILED"

    /// BoringSSL has one word for all that is wrong with a certificate, and NIOSSL does not hand the reason over.
    private static func words(for fault: Substring) -> String {
        guard fault == verifyFailed else { return String(fault) }
        return "the certificate has expired, is not valid yet, or leads to no authority that is trusted here (\(fault))"
    }

    /// BoringSSL's own word for a TLS error; `nil` if the error is not BoringSSL's.
    ///
    /// Its text is `Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …`.
    private static func word(of error: NIOSSLError) -> Substring? {
        let text = String(describing: error)
        guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return nil }
        return text[start...].prefix { $0 != " " && $0 != "]" }
    }
}
