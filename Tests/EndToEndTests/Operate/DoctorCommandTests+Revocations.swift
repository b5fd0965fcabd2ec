import TestSupport
import Testing

/// What a revocation leaves that was made while PostgreSQL's clock was ahead.
extension DoctorCommandTests {
    @Test func `a revocation ahead of PostgreSQL's clock is a problem until it is made again`() async throws {
        let stack = try await Stack.start()
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let revoke = ["devices", "revoke", "\(phone.id)", "--reason", "lost", "--yes"]
        #expect(try await stack.capturectl(revoke, with: [:]).exitCode == 0)
        let well = try check("revocations", of: try await stack.capturectlJSON("doctor").object)
        #expect(well["state"] as? String == "ok", "\(well)")
        try await stack.psql(
            """
            ALTER TABLE devices DISABLE TRIGGER devices_revocation_kept;
            UPDATE devices SET revoked_at = revoked_at + interval '1 hour';
            ALTER TABLE devices ENABLE TRIGGER devices_revocation_kept
            """)
        let ill = try await stack.capturectlJSON("doctor")
        let line = try check("revocations", of: ill.object)
        #expect(ill.exitCode == 1 && line["state"] as? String == "problem", "\(line)")
        #expect(line["found"] as? String == "1 device revoked or replaced ahead of PostgreSQL's clock", "\(line)")
        #expect(line["examples"] as? [String] == ["\(phone.id)"], "\(line)")
        #expect(try await stack.capturectl(revoke, with: [:]).exitCode == 0)
        let again = try check("revocations", of: try await stack.capturectlJSON("doctor").object)
        #expect(again["state"] as? String == "ok", "\(again)")
    }
}
