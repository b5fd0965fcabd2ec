import Dispatch
import HostNames
import Synchronization
import TestSupport
import Testing

@Suite("The addresses of names", .timeLimit(.minutes(1)))
struct HostNamesTests {
    /// A system whose lookups hang when they are told to.
    private final class Resolver: Sendable {
        private struct State {
            var answer: Result<[String], NameFault>
            var hangs = false
            var asked: [String] = []
        }

        private let state: Mutex<State>
        private let release = DispatchSemaphore(value: 0)

        init(_ answer: [String]) { state = Mutex(State(answer: .success(answer))) }

        var asked: [String] { state.withLock { $0.asked } }

        func answers(_ answer: Result<[String], NameFault>, hangs: Bool = false) {
            state.withLock { ($0.answer, $0.hangs) = (answer, hangs) }
        }

        func goOn() { release.signal() }

        func lookUp(_ name: String) throws(NameFault) -> [String] {
            let (answer, hangs) = state.withLock { state in
                state.asked.append(name)
                return (state.answer, state.hangs)
            }
            if hangs { release.wait() }
            return try answer.get()
        }
    }

    private func names(_ resolver: Resolver, namesMax: Int = 64) -> HostNames {
        HostNames(namesMax: namesMax, lookUp: { name throws(NameFault) in try resolver.lookUp(name) })
    }

    private var later: ContinuousClock.Instant { .now + .seconds(60) }

    @Test func `the addresses of names keep the order in which the system gives them`() throws {
        let names = names(Resolver(["2001:db8::1", "192.0.2.7"]))
        #expect(try names.addresses(of: "db.example", by: later) == ["2001:db8::1", "192.0.2.7"])
    }

    @Test(arguments: ["192.0.2.7", "::1", "2001:db8::7"])
    func `the addresses of an address are itself, and nobody is asked`(address: String) throws {
        let resolver = Resolver([])
        #expect(try names(resolver).addresses(of: address, by: .now) == [address])
        #expect(resolver.asked.isEmpty)
    }

    @Test func `the addresses of names are waited for until the deadline, and kept for the next when they come late`()
        async throws
    {
        let resolver = Resolver(["192.0.2.7"])
        let names = names(resolver)
        resolver.answers(.success(["192.0.2.7"]), hangs: true)
        #expect(throws: NameFault.self) {
            try names.addresses(of: "db.example", by: .now + .milliseconds(20))
        }
        resolver.goOn()
        // The next lookup hangs as well.
        try await eventually { (try? names.addresses(of: "db.example", by: .now + .milliseconds(40))) == ["192.0.2.7"] }
        resolver.goOn()
    }

    @Test func `the addresses of names are the last ones that were found while a lookup fails, until there are others`()
        throws
    {
        let resolver = Resolver(["192.0.2.7"])
        let names = names(resolver)
        _ = try names.addresses(of: "db.example", by: later)
        resolver.answers(.failure(NameFault("db.example", "no answer")))
        #expect(try names.addresses(of: "db.example", by: later) == ["192.0.2.7"])
        resolver.answers(.success(["192.0.2.8"]))
        #expect(try names.addresses(of: "db.example", by: later) == ["192.0.2.8"])
    }

    @Test func `known addresses leave most of the time when a lookup hangs, and one lookup serves all`() async throws {
        let resolver = Resolver(["192.0.2.7"])
        let names = names(resolver)
        _ = try names.addresses(of: "db.example", by: later)
        resolver.answers(.success(["192.0.2.8"]), hangs: true)
        for _ in 0..<4 { #expect(try names.addresses(of: "db.example", by: later) == ["192.0.2.7"]) }
        // The lookup is a thread's, which nobody waits for.
        try await eventually { resolver.asked.count >= 2 }
        #expect(resolver.asked == ["db.example", "db.example"])
        resolver.answers(.success(["192.0.2.8"]))
        resolver.goOn()
        try await eventually { try names.addresses(of: "db.example", by: later) == ["192.0.2.8"] }
    }

    @Test func `the addresses of names that nobody knows are told with the system's reason`() {
        let resolver = Resolver([])
        resolver.answers(.failure(NameFault("db.example", "no answer")))
        let fault = #expect(throws: NameFault.self) {
            try names(resolver).addresses(of: "db.example", by: later)
        }
        #expect(fault?.description == "db.example: no answer")
    }

    @Test func `the addresses of names are kept of so many names, and no lookup that hangs makes room`() throws {
        let resolver = Resolver(["192.0.2.7"])
        let names = names(resolver, namesMax: 2)
        for name in ["one", "two", "one", "three"] { _ = try names.addresses(of: name, by: later) }
        resolver.answers(.failure(NameFault("", "no answer")))
        // The one that made room is known no more.
        #expect(throws: NameFault.self) { try names.addresses(of: "two", by: later) }
        resolver.answers(.success([]), hangs: true)
        for name in ["four", "five"] {
            let fault = #expect(throws: NameFault.self) { try names.addresses(of: name, by: .now) }
            #expect(fault?.description == "\(name): its address was not found in time")
        }
        let fault = #expect(throws: NameFault.self) { try names.addresses(of: "six", by: later) }
        #expect(fault?.description == "six: too many names are being looked up")
        for _ in 0..<2 { resolver.goOn() }
    }

    @Test func `the addresses of names come from the system's own lookup`() throws {
        let found = try HostNames.system.addresses(of: "localhost", by: later)
        #expect(found.contains("127.0.0.1") || found.contains("::1"), "\(found)")
    }
}
