import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

/// Texts that a trusted root has certified and PostgreSQL cannot hold, with a gateway as a process of its own.
@Suite(.timeLimit(.minutes(5))) struct `Certified texts with U+0000` {
    private static func device() -> SimulatedDevice {
        SimulatedDevice(
            appID: Stack.appID, statements: AppExtensions(bundleVersion: "1314\0"), systemVersion: "27\0.0")
    }

    @Test func `a phone is registered, attested again and enrolled without them`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let phone = try await Phone.register(
                with: scene.gateway, authority: scene.stack.authority, device: Self.device())
            #expect(phone.level == .secureEnclave)

            #expect(try await phone.attestAgain(authority: scene.stack.authority).status == 200)

            _ = try await EnrollingPhone(device: EnrollingDevice(Self.device())).setPassword(scene)

            for (table, count) in [("devices", "2"), ("attestations", "1")] {
                let kept = try await scene.stack.psql(
                    """
                    SELECT count(*) FROM \(table)
                    WHERE os_version IS NULL AND bundle_version IS NULL AND validation_category = 4
                    """)
                #expect(kept.trimmingCharacters(in: .whitespacesAndNewlines) == count, "\(table)")
            }
        }
    }
}
