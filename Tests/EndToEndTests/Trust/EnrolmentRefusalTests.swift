import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

/// What a gateway's enrolment does not take, against real servers.
@Suite(.timeLimit(.minutes(5))) struct `Enrolment that is refused` {
    @Test func `a refused enrolment names the field at fault, and the session goes on`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let phone = EnrollingPhone()
            let code = try await scene.invite()
            let start: JSONValue = [
                "invitation_code": .string(code), "device_id": .string("\(phone.id)"), "device_type": "ios",
            ]
            try await scene.faults(
                "start", start,
                [
                    ("invitation_code", nil), ("invitation_code", .whole(7)), ("device_id", nil), ("device_id", "x"),
                    ("device_id", .whole(1)), ("device_type", "android"), ("device_type", nil), ("device_type", .null),
                ])
            let ticket = try EnrolmentTicket(try #require(try await scene.post("start", start).data))

            let attestation = try phone.attestationForm(ticket, scene)
            try await scene.faults(
                "attestation/ios", attestation,
                [
                    ("enrollment_session_id", nil), ("enrollment_session_id", "x"), ("attestation_object", "§"),
                    ("attestation_object", ""), ("attestation_object", nil), ("key_id", "AAAA"),
                    ("key_id", .bool(true)),
                    ("attestation_object", .string(String(repeating: "AAAA", count: 6000))), ("model", ""),
                    ("model", .string(String(repeating: "x", count: 65))), ("has_lidar", "yes"),
                ])
            #expect(try await scene.post("attestation/ios", attestation).status == 200)

            let password = try phone.passwordForm(ticket)
            try await scene.faults(
                "set-password", password,
                [
                    ("enrollment_session_id", .array([])), ("encrypted_password_hash", nil),
                    ("encrypted_password_hash", "AAAA"), ("encrypted_password_hash", "%%%"),
                    ("encrypted_password_hash", .string(Data(count: 400).base64EncodedString())),
                    // A public key of which no secret comes.
                    ("encrypted_password_hash", .string(Data(count: 64).base64EncodedString())),
                    ("key_id", "x"), ("key_id", .string(ticket.keys[1].id)), ("key_id", .string("\(UUID())")),
                    ("nonce", ""), ("nonce", "AAAA"), ("nonce", .string(Data(count: 13).base64EncodedString())),
                ])
            let hashes = [
                ("swordfish", "PHC_MALFORMED"),
                ("$argon2i$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNo", "PHC_NOT_ARGON2ID"),
                ("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNo", "PHC_PARAMETERS"),
            ]
            for (hash, reason) in hashes {
                let answer = try await scene.post("set-password", phone.passwordForm(ticket, hash: hash))
                #expect(answer.status == 400 && answer.details?["reason"]?.string == reason)
                #expect(answer.details?["field"]?.string == "encrypted_password_hash")
            }
            let other = try EnrollingPhone().passwordForm(ticket, nonce: phone.nonce)
            let mixed = password.with("encrypted_password_hash", other["encrypted_password_hash"])
            let answer = try await scene.post(
                "set-password", mixed.with("nonce", .string(Data(count: 12).base64EncodedString())))
            #expect(answer.status == 400 && answer.details?["reason"]?.string == "SEAL_INVALID")
            #expect(try await scene.post("set-password", password).status == 200)

            try await scene.faults(
                "finalize", ["enrollment_session_id": .string(ticket.session)],
                [
                    ("enrollment_session_id", nil), ("enrollment_session_id", "x"), ("key_id", "x"),
                    ("key_id", .whole(1)),
                ])
            #expect(try await scene.gateway.finalizeEnrolment(ticket).device == phone.id)
        }
    }

    @Test func `enrolment is refused for an attestation that is not good, whose challenge is used up`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let phone = EnrollingPhone()
            let ticket = try await scene.gateway.startEnrolment(invitation: scene.invite(), device: phone.id)
            let stranger = try TestCertificateAuthority(name: "Stranger", at: Date())
            let forged = try await scene.post(
                "attestation/ios", phone.attestationForm(ticket, authority: stranger))
            #expect(forged.status == 401 && forged.code == "ATTESTATION_FAILED")
            #expect(forged.details?["reason"]?.string == "INTERMEDIATE_ISSUER_MISMATCH")
            let again = try await scene.post("attestation/ios", phone.attestationForm(ticket, scene))
            #expect(again.status == 401 && again.code == "CHALLENGE_INVALID")
            #expect(try await scene.stack.psql("SELECT count(*) FROM devices") == "0", "nothing is degraded")

            // Another session's challenge.
            let other = try await scene.gateway.startEnrolment(invitation: scene.invite(), device: phone.id)
            let crossed = try phone.attestationForm(ticket, scene)
                .with("enrollment_session_id", .string(other.session))
            #expect(try await scene.post("attestation/ios", crossed).code == "ATTESTATION_FAILED")
        }
    }

    @Test func `enrolment is refused for a key that is registered already`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let registered = try await Phone.register(with: scene.gateway, authority: scene.stack.authority)
            let challenge = try await scene.gateway.startEnrolment(
                invitation: scene.invite(), device: DeviceID(UUID()))
            let form: JSONValue = [
                "enrollment_session_id": .string(challenge.session),
                "key_id": .string(Data(registered.device.keyID.bytes).base64EncodedString()),
                "attestation_object": .string(
                    Data(
                        try registered.device.attest(
                            clientDataHash: CaptureSigner.clientDataHash(challenge: challenge.challenge).bytes,
                            authority: scene.stack.authority, at: Date())
                    ).base64EncodedString()),
            ]
            let answer = try await scene.post("attestation/ios", form)
            #expect(answer.status == 409 && answer.code == "CONFLICT")
            #expect(try await scene.post("attestation/ios", form).code == "CHALLENGE_INVALID")
        }
    }

    @Test func `enrolment is refused once the session is over or was never there`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let phone = EnrollingPhone()
            let ticket = try await phone.setPassword(scene)
            _ = try await scene.gateway.finalizeEnrolment(ticket)
            let forms = [
                ("attestation/ios", try phone.attestationForm(ticket, scene)),
                ("set-password", try phone.passwordForm(ticket)),
                ("finalize", ["enrollment_session_id": .string(ticket.session)] as JSONValue),
            ]
            try await scene.stack.psql(
                "UPDATE enrolments SET created_at = now() - interval '2 h', expires_at = now() - interval '1 s'")
            for (step, form) in forms {
                let over = try await scene.post(step, form)
                #expect(over.status == 410 && over.code == "ENROLLMENT_EXPIRED")
                let never = try await scene.post(step, form.with("enrollment_session_id", .string("\(UUID())")))
                #expect(never.status == 404 && never.code == "ENROLLMENT_NOT_FOUND")
            }
        }
    }

    @Test(arguments: [false, true])
    func `enrolment is refused to a device that was revoked before it is told its credential, or told it again`(
        isEnrolled: Bool
    ) async throws {
        try await EnrolmentScene.with { scene async throws in
            let ticket = try await EnrollingPhone().setPassword(scene)
            if isEnrolled { _ = try await scene.gateway.finalizeEnrolment(ticket) }
            try await scene.stack.psql(
                "UPDATE devices SET revoked_at = now(), revoked_reason = 'lost', revoked_by = 'bob'")
            let answer = try await scene.post("finalize", ["enrollment_session_id": .string(ticket.session)])
            #expect(answer.status == 403 && answer.code == "DEVICE_REVOKED")
            #expect(answer.data?["credential_package"] == nil)
        }
    }

    @Test(arguments: [false, true])
    func `enrolment is refused to a device whose root was taken out before it is told its credential, or again`(
        isEnrolled: Bool
    ) async throws {
        try await EnrolmentScene.with { scene async throws in
            let ticket = try await EnrollingPhone().setPassword(scene)
            if isEnrolled { _ = try await scene.gateway.finalizeEnrolment(ticket) }
            let folder = try TemporaryDirectory.make("roots")
            defer { try? FileManager.default.removeItem(at: folder) }
            try TestCertificateAuthority(name: "Next", at: Date()).write(directory: folder.path)
            let roots = ["CAPTURE_APP_ROOTS": folder.appendingPathComponent("root.pem").path]
            let (process, client) = try await scene.stack.gateway(roots)
            let form: JSONValue = ["enrollment_session_id": .string(ticket.session)]
            let answer = try await EnrolmentScene(stack: scene.stack, gateway: client).post("finalize", form)
            #expect(answer.status == 401 && answer.code == "ATTESTATION_FAILED")
            #expect(answer.details?["reason"]?.string == "TRUST_ROOT_NOT_ALLOWED")
            #expect(answer.data?["credential_package"] == nil)
            #expect(try await scene.post("finalize", form).status == 200, "where the root is trusted")
            try await process.expectStop()
        }
    }

    @Test func `a refused enrolment is forgotten after a day by every gateway, whatever a 202 rests on`() async throws {
        try await EnrolmentScene.with(["CAPTURE_QUEUE_DURABILITY": "relaxed"]) { scene async throws in
            _ = try await scene.gateway.finalizeEnrolment(EnrollingPhone().setPassword(scene))
            _ = try await scene.gateway.startEnrolment(invitation: scene.invite(), device: DeviceID(UUID()))
            _ = try await scene.invite()
            for table in ["enrolments", "invitations"] {
                try await scene.stack.psql(
                    """
                    UPDATE \(table) SET created_at = now() - interval '3 days', expires_at = now() - interval '2 days'
                    """)
            }
            // It looks when it starts.
            let (another, _) = try await scene.stack.gateway()
            try await eventually {
                let left = try await scene.stack.psql(
                    """
                    SELECT (SELECT count(*) FROM enrolments) || ',' || (SELECT count(*) FROM invitations) || ','
                        || (SELECT count(*) FROM transaction_keys) || ',' || (SELECT count(package) FROM enrolments)
                    """)
                return left.contains("1,1,20,0")
            }
            try await another.expectStop()
        }
    }

    @Test func `enrolment is refused where a body is no small JSON, and in too great a number`() async throws {
        try await EnrolmentScene.with { scene async throws in
            for step in ["start", "attestation/ios", "set-password", "finalize"] {
                #expect(try await scene.post(step, text: "").status == 400)
                #expect(try await scene.post(step, text: "[]").status == 400)
                #expect(try await scene.post(step, text: "{}").status == 400)
                #expect(try await scene.post(step, text: "{", type: "application/json").status == 400)
                #expect(try await scene.post(step, text: "{}", type: "text/plain").status == 415)
                let large = String(repeating: " ", count: 70_000) + "{}"
                #expect(try await scene.post(step, text: large).code == "PAYLOAD_TOO_LARGE")
            }
            let (limited, few) = try await scene.stack.gateway(["CAPTURE_GATEWAY_CHALLENGE_LIMIT": "1"])
            let strict = EnrolmentScene(stack: scene.stack, gateway: few)
            for step in ["start", "attestation/ios", "set-password", "finalize"] {
                // Counted in Redis together with what the other gateway has taken in this minute.
                try await eventually { try await strict.post(step, text: "{}").code == "RATE_LIMITED" }
            }
            try await limited.expectStop()
        }
    }
}
