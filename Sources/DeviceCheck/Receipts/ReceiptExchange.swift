public import CaptureModel
import FoundationEssentials

/// Where receipts are exchanged for newer ones.
public protocol ReceiptExchange: Sendable {
    /// Asks once for a newer receipt.
    func exchange(_ receipt: [UInt8], environment: AttestEnvironment) async -> ReceiptAnswer

    /// Who is asked about an environment's receipts, for logs.
    func host(of environment: AttestEnvironment) -> String
}

/// Apple's server for receipts ("Assessing fraud risk", `attestationData`).
///
/// The body is the latest receipt as base64, the authorization the bare token: without `Bearer`,
/// other than DeviceCheck's.
public struct AppleReceiptExchange: ReceiptExchange {
    /// Where Apple's servers are: `https://host`, without a path.
    public struct Hosts: Sendable, Equatable {
        /// For keys of shipped apps.
        public var production: String
        /// For keys of development builds.
        public var development: String

        /// Takes Apple's hosts unless told otherwise.
        public init(
            production: String = "https://data.appattest.apple.com",
            development: String = "https://data-development.appattest.apple.com"
        ) {
            self.production = production
            self.development = development
        }
    }

    private let server: AppleServer
    private let tokens: DeveloperTokens
    private let hosts: Hosts

    /// Asks through a client that the caller runs.
    public init(server: AppleServer, tokens: DeveloperTokens, hosts: Hosts = Hosts()) {
        self.server = server
        self.tokens = tokens
        self.hosts = hosts
    }

    /// Asks the environment's own host, once.
    public func exchange(_ receipt: [UInt8], environment: AttestEnvironment) async -> ReceiptAnswer {
        guard let token = try? tokens.token() else { return .unauthorized }
        do {
            let answer = try await server.post(
                "\(address(of: environment))/v1/attestationData", authorization: token, type: "text/plain",
                Array(Data(receipt).base64EncodedString().utf8))
            if answer.status == 401 { tokens.renew() }
            return Self.meaning(of: answer)
        } catch {
            switch error {
            case .unreachable(let why): return .unreachable(why)
            case .cancelled: return .unreachable("cancelled")
            }
        }
    }

    /// The name in the environment's address.
    public func host(of environment: AttestEnvironment) -> String {
        let address = address(of: environment)
        return URL(string: address)?.host() ?? address
    }

    private func address(of environment: AttestEnvironment) -> String {
        switch environment {
        case .production: hosts.production
        case .development: hosts.development
        }
    }

    static func meaning(of answer: AppleServer.Answer) -> ReceiptAnswer {
        switch answer.status {
        case 200:
            guard !answer.isCut else { return .unexpected(status: 200) }
            // Whatever line ends there are: Foundation's decoder then takes nothing but the alphabet.
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
