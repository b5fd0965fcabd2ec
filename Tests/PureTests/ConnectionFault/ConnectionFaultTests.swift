import ConnectionFault
import Glibc
import NIOCore
import NIOPosix
import Testing

@Suite("What has become of a connection", .timeLimit(.minutes(1)))
struct ConnectionFaultTests {
    /// Like a DNS that fails.
    private struct FailingResolver: Resolver, Sendable {
        let fault: SocketAddressError.UnknownHost
        let eventLoop: any EventLoop

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            eventLoop.makeFailedFuture(fault)
        }

        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            eventLoop.makeFailedFuture(fault)
        }

        func cancelQueries() {}
    }

    @Test(arguments: [
        (EAI_NONAME, "db.internal: no address has this name"), (EAI_AGAIN, "db.internal: the system's words"),
    ])
    func `a name that could not be looked up is told from one that is none`(code: Int32, words: String) async throws {
        let fault = try unknownHost("db.internal", code, "the system's words")
        #expect(ConnectionFault.reason(of: fault) == words)
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let error = await #expect(throws: NIOConnectionError.self) {
            _ = try await ClientBootstrap(group: eventLoop)
                .resolver(FailingResolver(fault: fault, eventLoop: eventLoop))
                .connect(host: "db.internal", port: 5432).get()
        }
        #expect(error.map { ConnectionFault.reason(of: $0) } == words)
    }

    @Test func `a connection that took too long is told with the host, where that is known`() {
        let fault = ChannelError.connectTimeout(.seconds(2))
        #expect(ConnectionFault.reason(of: fault, host: "db.internal:1") == "db.internal:1: no connection in time")
        #expect(ConnectionFault.reason(of: fault) == "no connection in time")
    }

    @Test func `an address that cannot be asked for says why`() {
        #expect(ConnectionFault.reason(of: SocketAddressError.failedToParseIPString("x")) == "x is no IP address")
        #expect(
            ConnectionFault.reason(of: SocketAddressError.unixDomainSocketPathTooLong)
                == "the path of the socket is too long")
    }

    /// NIO alone can make one: no name has two dots in a row, which nobody is asked for.
    private func unknownHost(
        _ host: String, _ code: Int32, _ words: String
    ) throws -> SocketAddressError.UnknownHost {
        let error = #expect(throws: SocketAddressError.UnknownHost.self) {
            _ = try SocketAddress.makeAddressResolvingHost("a..b", port: 1)
        }
        var fault = try #require(error)
        fault.host = host
        fault.errorCode = Int(code)
        fault.errorDescription = words
        return fault
    }
}
