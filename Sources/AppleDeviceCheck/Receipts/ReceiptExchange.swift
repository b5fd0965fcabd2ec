public import CaptureModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where receipts are exchanged for newer ones.
public protocol ReceiptExchange: Sendable {
    /// Asks once for a newer receipt.
    func exchange(_ receipt: [UInt8], environment: KeyEnvironment) async -> ReceiptAnswer

    /// The host that is asked about an environment's receipts, for logs.
    func host(of environment: KeyEnvironment) -> String
}

/// Apple's server for receipts ("Assessing fraud risk", `attestationData`).
///
/// ```swift
/// let exchange = AppleReceiptExchange(server: server, tokens: tokens)
/// let answer = await exchange.exchange(verified.receipt, environment: KeyEnvironment(verified.environment))
/// ```
///
/// ``AppleServer`` says where `server` comes from and who runs it, and ``DeveloperKey`` where `tokens` do.
///
/// The body is the latest receipt as base64. The authorization is the bare token, without the `Bearer` that DeviceCheck
/// wants.
public struct AppleReceiptExchange: ReceiptExchange {
    private let server: AppleServer
    private let tokens: DeveloperTokens
    private let hosts: AppleHosts

    /// Uses a server's client, which the caller runs as a service.
    public init(server: AppleServer, tokens: DeveloperTokens, hosts: AppleHosts = .receipts) {
        self.server = server
        self.tokens = tokens
        self.hosts = hosts
    }

    /// Asks the environment's host once.
    public func exchange(_ receipt: [UInt8], environment: KeyEnvironment) async -> ReceiptAnswer {
        do throws(AppleServer.Fault) {
            let token = try tokens.forQuestion()
            let answer = try await server.post(
                "\(hosts[environment])/v1/attestationData", authorization: token,
                type: "text/plain", Array(Data(receipt).base64EncodedString().utf8))
            if answer.status == 401 { tokens.renew(token) }
            return Self.meaning(of: answer)
        } catch {
            switch error {
            case .unreachable(let why): return .unreachable(why)
            case .cancelled: return .unreachable("cancelled")
            }
        }
    }

    /// The host name in the environment's address.
    public func host(of environment: KeyEnvironment) -> String {
        URL(string: hosts[environment])?.host() ?? hosts[environment]
    }

    static func meaning(of answer: AppleServer.Answer) -> ReceiptAnswer {
        switch answer.status {
        case 200:
            guard !answer.isCut else { return .unexpected(status: 200) }
            // Line ends of any kind are removed: Foundation's decoder then accepts only the alphabet.
            let text = answer.body.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 }
            guard let data = Data(base64Encoded: Data(text)), !data.isEmpty else { return .unexpected(status: 200) }
            return .renewed(Array(data))
        case 304: return .notYet
        case 400: return .refused
        case 401: return .unauthorized
        case 404: return .unknown
        case 429, 500...599: return .overloaded(status: answer.status, retryAfter: answer.retryAfter)
        default: return .unexpected(status: answer.status)
        }
    }
}
