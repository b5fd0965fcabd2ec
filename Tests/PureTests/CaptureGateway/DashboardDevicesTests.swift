import CaptureModel
import CaptureStore
import FoundationEssentials
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Devices at the dashboard` {
    /// A record with these devices, newest first.
    private struct ListedStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let listed: [ListedDevice]

        func listDevices(after: DeviceID?, limit: Int) async throws(StoreError) -> [ListedDevice] {
            guard let after else { return Array(listed.prefix(limit)) }
            return Array(listed.drop { $0.device.id != after }.dropFirst().prefix(limit))
        }
    }

    private static let start = Timestamp(millisecondsSince1970: 1_790_000_000_000)

    private static func device(
        isRevoked: Bool = false, isCompromised: Bool = false, level: AttestationLevel = .secureEnclave
    ) -> ListedDevice {
        let device = Device.phone(
            .of(level, publicKey: [1], appID: "", reason: Device.attestationMissing),
            revokedAt: isRevoked ? start : nil, registeredAt: start)
        return ListedDevice(device: device, compromisedSince: isCompromised ? start : nil)
    }

    /// A gateway whose record has these devices.
    private static func fixture(_ listed: [ListedDevice]) throws -> GatewayFixture {
        var fixture = try GatewayFixture().withOperators()
        fixture.dependencies.store = ListedStore(memory: fixture.store, listed: listed)
        return fixture
    }

    @Test func `devices are listed by their standing`() async throws {
        let plain = (0..<60).map { _ in Self.device() }
        let odd = [
            Self.device(isRevoked: true), Self.device(isCompromised: true), Self.device(level: .unverified),
        ]
        try await Self.fixture(plain + odd).run { gateway in
            let login = try await DashboardLogin(gateway)
            for (standing, device) in zip(["revoked", "compromised", "unverified"], odd) {
                let page = try await login.get("/dashboard/devices?standing=\(standing)").text
                #expect(page.matches(of: /iPhone17,1/).count == 1 && !page.contains("Next page"), "\(standing)")
                #expect(page.contains("href=\"/dashboard/devices/\(device.device.id)\""), "\(standing)")
                #expect(page.contains("href=\"/dashboard/devices?standing=\(standing)\" aria-current=\"true\""))
            }
            let all = try await login.get("/dashboard/devices").text
            #expect(all.matches(of: /iPhone17,1/).count == DevicesPage.pageSize && all.contains("Next page"))
            #expect(all.contains("role=\"search\"") && all.contains("name=\"q\""))
            #expect(try await login.get("/dashboard/devices?standing=odd").status == 400)
        }
    }

    @Test func `devices of a standing go on from page to page, and each look for them ends`() async throws {
        let revoked = (0...DevicesPage.pageSize).map { _ in Self.device(isRevoked: true) }
        let plain = (0..<DevicesPage.looksMax).map { _ in Self.device() }
        let last = Self.device(isRevoked: true)
        try await Self.fixture(revoked + plain + [last]).run { gateway in
            let login = try await DashboardLogin(gateway)
            var (counts, path): ([Int], String?) = ([], "/dashboard/devices?standing=revoked")
            var page = ""
            while let address = path {
                page = try await login.get(address).text
                counts.append(page.matches(of: /iPhone17,1/).count)
                let next = page.firstMatch(of: /href="([^"]*)" rel="next"/)
                path = next.map { String($0.1).replacing("&amp;", with: "&") }
            }
            #expect(counts == [DevicesPage.pageSize, 1, 1] && page.contains("/dashboard/devices/\(last.device.id)"))
        }
        try await Self.fixture(plain + [last]).run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/devices?standing=revoked").text
            #expect(page.contains("None among these; go on.") && page.contains("rel=\"next\""))
        }
    }
}
