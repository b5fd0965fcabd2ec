import AppAttest
import CaptureModel
import CaptureStore
import Crypto
import DeviceSimulator
import FoundationEssentials
import HTTPTypes
import Logging
import Rollout
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Authentication of requests` {
    @Test(arguments: AttestationLevel.allCases)
    func `an assertion over this very request names its device`(level: AttestationLevel) async throws {
        let scene = try await AuthenticationScene(level: level)
        let body = Array("{}".utf8)
        let device = try await scene.authenticator.device(signing: scene.phoneHeaders(body: body), body: body)
        #expect(device.id == scene.phoneID && device.level == level)
        #expect(try await scene.fixture.store.record(of: scene.phoneID)?.requestCounter == 1)
    }

    @Test func `a request cannot be made twice, nor one with a lower counter`() async throws {
        let scene = try await AuthenticationScene()
        let first = try scene.phoneHeaders()
        let second = try scene.phoneHeaders()
        #expect(await scene.code(second) == nil)
        #expect(await scene.code(second) == .replayDetected)
        #expect(await scene.code(first) == .replayDetected)
        let plain = try scene.keyHeaders()
        #expect(await scene.code(plain) == nil)
        #expect(await scene.code(plain) == .replayDetected)
        #expect(await scene.code(try scene.keyHeaders(at: .milliseconds(1))) == nil)
    }

    @Test func `two plain keys may sign the same body at the same moment`() async throws {
        let scene = try await AuthenticationScene()
        let both = [try scene.keyHeaders(body: [1]), try scene.otherKeyHeaders(body: [1])]
        #expect(both[0][.deviceTimestamp] == both[1][.deviceTimestamp])
        for headers in both { #expect(await scene.code(headers, body: [1]) == nil) }
        for headers in both { #expect(await scene.code(headers, body: [1]) == .replayDetected) }
    }

    /// Its clock may be five minutes ahead: then the request is within the window for ten.
    @Test func `a plain key's request cannot be made again for as long as its timestamp is good`() async throws {
        let scene = try await AuthenticationScene()
        let ahead = try scene.keyHeaders(at: .seconds(300))
        #expect(await scene.code(ahead) == nil)
        scene.fixture.time.advance(by: .seconds(600))
        #expect(await scene.code(ahead) == .replayDetected, "the last moment at which it is good")
        scene.fixture.time.advance(by: .milliseconds(1))
        #expect(await scene.code(ahead) == .timestampExpired)
    }

    /// After the look at the timestamp comes the body, and after that Redis, which may take a minute to remember it.
    @Test func `a plain key's request cannot be made again with a body that comes as late as it may`() async throws {
        let scene = try await AuthenticationScene()
        var configuration = scene.fixture.configuration
        configuration.requests.jsonTimeout = .seconds(600)
        let authenticator = DeviceAuthenticator(configuration: configuration, dependencies: scene.fixture.dependencies)
        let ahead = try scene.keyHeaders(at: .seconds(300))
        #expect(await scene.code(ahead, by: authenticator) == nil)
        scene.fixture.time.advance(by: .seconds(600))
        let claim = try await authenticator.claim(in: ahead)
        scene.fixture.time.advance(by: Duration.seconds(600 + 60) - .milliseconds(1))
        let refusal = await #expect(throws: APIError.self) { try await authenticator.check(claim, body: []) }
        #expect(refusal?.code == .replayDetected)
    }

    @Test func `a plain key's requests beyond the limit are refused and not remembered, another device's are not`()
        async throws
    {
        let scene = try await AuthenticationScene()
        var configuration = scene.fixture.configuration
        configuration.rates.requestLimit = 2
        let authenticator = DeviceAuthenticator(configuration: configuration, dependencies: scene.fixture.dependencies)
        // A request that the key has not signed is not counted.
        #expect(await scene.code(try scene.keyHeaders(body: [1]), by: authenticator) == .signatureInvalid)
        for number in 0..<2 {
            #expect(await scene.code(try scene.keyHeaders(at: .milliseconds(number)), by: authenticator) == nil)
        }
        let late = try scene.keyHeaders(at: .milliseconds(2))
        let refusal = await #expect(throws: APIError.self) {
            _ = try await authenticator.device(signing: late, body: [])
        }
        #expect(refusal?.code == .rateLimited && refusal?.retryAfter == .seconds(60))
        #expect(await scene.code(try scene.otherKeyHeaders(), by: authenticator) == nil)
        for _ in 0..<3 { #expect(await scene.code(try scene.phoneHeaders(), by: authenticator) == nil) }
        scene.fixture.time.advance(by: .seconds(60))
        #expect(await scene.code(late, by: authenticator) == nil)
    }

    @Test func `a signed request tells when the device was seen, with a counter and without`() async throws {
        let scene = try await AuthenticationScene()
        scene.fixture.time.advance(by: .seconds(120))
        #expect(await scene.code(try scene.phoneHeaders()) == nil)
        #expect(await scene.code(try scene.keyHeaders(body: [1])) == .signatureInvalid)
        let forged = try await scene.fixture.store.record(of: scene.keyID)?.lastSeen
        #expect(forged.map { $0 < scene.fixture.time.now } == true)
        #expect(await scene.code(try scene.keyHeaders()) == nil)
        for id in [scene.phoneID, scene.keyID] {
            #expect(try await scene.fixture.store.record(of: id)?.lastSeen == scene.fixture.time.now)
        }
    }

    /// A record that takes no notes for as long as a test says.
    private final class DeafStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let isDeaf = Mutex(true)

        init(memory: MemoryCaptureStore) { self.memory = memory }

        func noteRequest(of key: KeyID) async throws(StoreError) {
            if isDeaf.withLock({ $0 }) { throw StoreError(.refused, "read only") }
            try await memory.noteRequest(of: key)
        }
    }

    @Test func `a plain key's request that nobody could note was made all the same`() async throws {
        let scene = try await AuthenticationScene()
        var dependencies = scene.fixture.dependencies
        dependencies.store = DeafStore(memory: scene.fixture.store)
        let authenticator = DeviceAuthenticator(
            configuration: scene.fixture.configuration, dependencies: dependencies)
        #expect(try await authenticator.device(signing: scene.keyHeaders(), body: []).id == scene.keyID)
    }

    @Test func `the log says once that requests are not noted, and once that they are again`() async throws {
        let scene = try await AuthenticationScene()
        let (log, time) = (LogRecorder(from: .debug), ManualTime())
        let store = DeafStore(memory: scene.fixture.store)
        var dependencies = scene.fixture.dependencies
        dependencies.store = store
        dependencies.outages = Outages(logger: log.logger) { time.monotonic }
        let authenticator = DeviceAuthenticator(
            configuration: scene.fixture.configuration, dependencies: dependencies)
        func told() -> [String] { log.lines.filter { !$0.hasPrefix("debug ") } }
        for number in 0..<50 {
            #expect(await scene.code(try scene.keyHeaders(at: .milliseconds(number)), by: authenticator) == nil)
        }
        #expect(told() == ["warning it is not noted when devices are seen"])
        #expect(log.lines.count == 50, "the others at debug")
        #expect(log.values(of: "fault").first?.contains("read only") == true)
        store.isDeaf.withLock { $0 = false }
        time.advance(by: LoggedEpisode.calm)
        for number in 50..<52 {
            #expect(await scene.code(try scene.keyHeaders(at: .milliseconds(number)), by: authenticator) == nil)
        }
        #expect(told().count == 2 && told().last == "notice it is noted again when devices are seen")
    }

    @Test func `a signature for other bytes, another device or another app is refused`() async throws {
        let scene = try await AuthenticationScene()
        #expect(await scene.code(try scene.phoneHeaders(), body: [1]) == .signatureInvalid)
        #expect(await scene.code(try scene.keyHeaders(), body: [1]) == .signatureInvalid)
        for flaw in [AssertionFlaw.keyOfOtherDevice, .otherAppID, .truncated, .counterEdited] {
            #expect(await scene.code(try scene.phoneHeaders(flaw: flaw)) == .signatureInvalid)
        }
        var crossed = try scene.keyHeaders()
        crossed[.deviceID] = "\(scene.phoneID)"
        #expect(await scene.code(crossed) == .signatureInvalid)
        #expect(try await scene.fixture.store.record(of: scene.phoneID)?.requestCounter == 0)
    }

    @Test(arguments: [nil, "", "%", "AAAA"] as [String?])
    func `a signature that is none is refused`(text: String?) async throws {
        let scene = try await AuthenticationScene()
        for var headers in [try scene.phoneHeaders(), try scene.keyHeaders()] {
            headers[.deviceSignature] = text
            #expect(await scene.code(headers) == .signatureInvalid)
        }
    }

    @Test(arguments: [(-301, true), (-300, false), (0, false), (300, false), (301, true)])
    func `the timestamp is within five minutes of the server's`(seconds: Int, isExpired: Bool) async throws {
        let scene = try await AuthenticationScene()
        let code = await scene.code(try scene.phoneHeaders(at: .seconds(seconds)))
        #expect(code == (isExpired ? .timestampExpired : nil))
    }

    @Test(arguments: [nil, "", "now", "-1", "1.5", "99999999999999999", "+1", "１"] as [String?])
    func `a timestamp that is no number is invalid`(text: String?) async throws {
        let scene = try await AuthenticationScene()
        var headers = try scene.phoneHeaders()
        headers[.deviceTimestamp] = text
        #expect(await scene.code(headers) == .timestampInvalid)
    }

    /// In seconds; ahead of the gateway's clock it was noted under another one, since nobody revokes for a time to come.
    @Test(arguments: [0, 3600])
    func `unknown and revoked devices are told so`(ahead: Int) async throws {
        let scene = try await AuthenticationScene()
        for id in ["01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d", "x", ""] {
            var headers = try scene.phoneHeaders()
            headers[.deviceID] = id
            #expect(await scene.code(headers) == .deviceNotFound)
        }
        _ = try await scene.fixture.store.revoke(
            scene.phoneID, at: scene.fixture.time.now.advanced(by: .seconds(ahead)), reason: "lost", actor: "test")
        #expect(await scene.code(try scene.phoneHeaders()) == .deviceRevoked)
    }

    @Test func `a key that the configuration does not take any more signs nothing, a plain key does`() async throws {
        let scene = try await AuthenticationScene()
        let other = try #require(AppID("ABCDE12345.com.example.other"))
        let takenOut: [(Reason, (inout GatewayConfiguration) -> Void)] = [
            (.trustRootNotAllowed, { $0.trust.roots = [.appleAppAttestation] }),
            (.appNotAllowed, { $0.trust.appIDs = [other] }),
            (.environmentMismatch, { $0.trust.environments = [.development] }),
        ]
        for (index, (reason, change)) in takenOut.enumerated() {
            var configuration = scene.fixture.configuration
            change(&configuration)
            let authenticator = DeviceAuthenticator(
                configuration: configuration, dependencies: scene.fixture.dependencies)
            let signed = try scene.phoneHeaders()
            let error = await #expect(throws: APIError.self) {
                _ = try await authenticator.device(signing: signed, body: [])
            }
            #expect(error?.code == .signatureInvalid && error?.reason == reason.rawValue)
            let plain = try scene.keyHeaders(at: .milliseconds(index))
            #expect(try await authenticator.device(signing: plain, body: []).id == scene.keyID)
        }
        #expect(try await scene.fixture.store.record(of: scene.phoneID)?.requestCounter == 0)
        #expect(await scene.code(try scene.phoneHeaders()) == nil)
    }

    @Test func `a key without an app signs for each of those that are configured, and for no other`() async throws {
        let scene = try await AuthenticationScene(level: .unverified)
        let other = try #require(AppID("ABCDE12345.com.example.other"))
        var configuration = scene.fixture.configuration
        configuration.trust.appIDs.insert(other, at: 0)
        let authenticator = DeviceAuthenticator(
            configuration: configuration, dependencies: scene.fixture.dependencies)
        let refused: [(AssertionFlaw, Reason)] = [
            (.otherAppID, .rpIDMismatch), (.keyOfOtherDevice, .signatureInvalid), (.truncated, .assertionMalformed),
        ]
        for (flaw, reason) in refused {
            let signed = try scene.phoneHeaders(flaw: flaw)
            let error = await #expect(throws: APIError.self) {
                _ = try await authenticator.device(signing: signed, body: [])
            }
            #expect(error?.code == .signatureInvalid && error?.reason == reason.rawValue)
        }
        let signed = try scene.phoneHeaders()
        #expect(try await authenticator.device(signing: signed, body: []).id == scene.phoneID)
    }

    @Test func `a record that is away is unavailable`() async throws {
        let scene = try await AuthenticationScene()
        await scene.fixture.store.fail(with: .init(.unavailable, "away"))
        #expect(await scene.code(try scene.phoneHeaders()) == .unavailable)
    }
}
