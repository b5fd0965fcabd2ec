import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

/// Enrolment with a gateway and a worker as processes of their own.
@Suite(.timeLimit(.minutes(5))) struct `Enrolment over HTTP` {
    @Test func `a phone is invited, attested, gets its credential, and its captures are verified`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let phone = EnrollingPhone()
            let code = try await scene.invite()
            let began = try await scene.post(
                "start", ["invitation_code": .string(code), "device_id": .string("\(phone.id)"), "device_type": "ios"])
            #expect(began.status == 201)
            let data = try #require(began.data)
            #expect(
                data.names == [
                    "attestation_challenge", "attestation_endpoint", "enrollment_session_id", "next_step",
                    "transaction_keys", "user_guid",
                ])
            #expect(data["next_step"]?.string == "attestation_required")
            #expect(data["attestation_endpoint"]?.string == "/vault/enroll/attestation/ios")
            let keys = try #require(data["transaction_keys"]?.array)
            #expect(keys.count == 20 && Set(keys.compactMap { $0["public_key"]?.string }).count == 20)
            #expect(keys.allSatisfy { $0.names == ["algorithm", "key_id", "public_key"] })
            #expect(keys.allSatisfy { $0["algorithm"]?.string == "X25519" })
            let ticket = try EnrolmentTicket(data)
            #expect(ticket.challenge.count == 32)

            // No more than has to be said: nothing of model and sensor.
            let form = try phone.attestationForm(ticket, scene).with("model", nil)
            #expect(form.names == ["attestation_object", "enrollment_session_id", "key_id"])
            let attested = try await scene.post("attestation/ios", form)
            #expect(
                attested.data == [
                    "status": "attestation_verified", "device_type": "ios", "security_level": "secure_enclave",
                    "next_step": "password_required", "password_key_id": .string(ticket.keys[0].id),
                ])
            let set = try await scene.post("set-password", phone.passwordForm(ticket))
            #expect(set.data == ["status": "password_set", "next_step": "finalize"])

            let finish: JSONValue = ["enrollment_session_id": .string(ticket.session)]
            let done = try await scene.post("finalize", finish)
            let package = try #require(done.data?["credential_package"])
            #expect(done.data?["status"]?.string == "enrolled")
            #expect(package.names == ["credential", "device_id", "token", "transaction_keys", "user_guid"])
            #expect(package["user_guid"]?.string == ticket.user && package["device_id"]?.string == "\(phone.id)")
            #expect(package["transaction_keys"]?.array?.count == 18)
            #expect(try await scene.post("finalize", finish).data == done.data)
            let credential = try await phone.credential(scene.gateway.finalizeEnrolment(ticket), ticket)
            #expect(credential.count == 32)

            let token = try #require(package["token"]?.string)
            let row = try await scene.stack.psql(
                "SELECT password_hash, encode(token_digest, 'hex'), encode(credential_digest, 'hex') FROM enrolments")
            #expect(row.contains(EnrollingDevice.passwordHash))
            #expect(row.contains(SHA256Digest.hash(Array(token.utf8)).hex) && !row.contains(token))
            #expect(row.contains(SHA256Digest.hash(credential).hex))

            // The enrolled phone is a registered device like any other.
            let worker = try scene.stack.worker()
            let registered = Phone(
                id: phone.id, level: .secureEnclave, device: phone.device.phone, gateway: scene.gateway)
            let capture = try await registered.upload(registered.shoot(seed: 1))
            #expect(try await registered.settled(capture).state == .verified)
            let record = try await scene.gateway.provenance(capture) { _ in .token(Stack.token) }
            #expect(record["attestation_level"]?.string == "secure_enclave" && record["confidence"]?.string == "high")
            let check = record["checks"]?.array?.first { $0["name"]?.string == "metadata" }
            #expect(check?["outcome"]?.string == "unavailable" && check?["reason"]?.string == "NOT_EVALUATED")
            try await worker.expectStop()
        }
    }

    @Test func `an enrolment's answers have the members that the description promises`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let document = try await scene.gateway.ask(.GET, "/openapi.json").json
            let schemas = try #require(document["components"]?["schemas"])
            func names(_ schema: JSONValue?) -> [String] {
                (schema?["required"]?.array ?? []).compactMap(\.string).sorted()
            }
            let phone = EnrollingPhone()
            let code = try await scene.invite()
            let started = try await scene.post(
                "start", ["invitation_code": .string(code), "device_id": .string("\(phone.id)"), "device_type": "ios"])
            let ticket = try EnrolmentTicket(#require(started.data))
            let attested = try await scene.post("attestation/ios", phone.attestationForm(ticket, scene))
            let set = try await scene.post("set-password", phone.passwordForm(ticket))
            let done = try await scene.post("finalize", ["enrollment_session_id": .string(ticket.session)])
            let answers = [
                ("EnrolmentStart", started), ("EnrolmentAttestation", attested), ("EnrolmentPassword", set),
                ("EnrolmentFinalize", done),
            ]
            for (name, answer) in answers { #expect(answer.data?.names == names(schemas[name]), "\(name)") }
            let package = schemas["EnrolmentFinalize"]?["properties"]?["credential_package"]
            let data = done.data?["credential_package"]
            #expect(data?.names == names(package))
            #expect(data?["credential"]?.names == names(package?["properties"]?["credential"]))
            let key = started.data?["transaction_keys"]?.array?.first
            #expect(key?.names == names(schemas["TransactionKey"]))
            #expect(document["paths"]?["/vault/enroll/finalize"]?["post"]?["responses"]?["410"] != nil)
        }
    }

    @Test func `the device may choose the key of its credential, and two that finish at once get one`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let phone = EnrollingPhone()
            let ticket = try await phone.setPassword(scene)
            func form(_ key: String) -> JSONValue {
                ["enrollment_session_id": .string(ticket.session), "key_id": .string(key)]
            }
            let used = try await scene.post("finalize", form(ticket.keys[0].id))
            #expect(used.status == 400 && used.details?["field"]?.string == "key_id", "it was the password's")
            let answers = try await withThrowingTaskGroup(of: JSONValue?.self) { group in
                for key in ticket.keys[4..<12] {
                    group.addTask { try await scene.post("finalize", form(key.id)).data }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 8 && answers.allSatisfy { $0 != nil && $0 == answers[0] })
            let chosen = answers[0]?["credential_package"]?["credential"]?["key_id"]?.string
            #expect(ticket.keys[4..<12].map(\.id).contains(try #require(chosen)))
            let noted = try await scene.stack.psql("SELECT count(*) FROM audit WHERE action = 'enrolment.finalize'")
            #expect(noted == "1")
        }
    }

    @Test func `another step than the next one is refused with the name of the next one`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let phone = EnrollingPhone()
            let ticket = try await scene.gateway.startEnrolment(invitation: scene.invite(), device: phone.id)
            let attestation = try phone.attestationForm(ticket, scene)
            // The device's own key is answered once more until the password is set.
            let foreign = try EnrollingPhone().attestationForm(ticket, scene)
            let password = try phone.passwordForm(ticket)
            let finish: JSONValue = ["enrollment_session_id": .string(ticket.session)]
            let steps = [("attestation/ios", attestation), ("set-password", password), ("finalize", finish)]
            let names = ["attestation_required", "password_required", "finalize", "finalize"]
            for (next, name) in names.enumerated() {
                for (index, (step, form)) in steps.enumerated() where index != min(next, 2) {
                    let answer = try await scene.post(step, index == 0 && next == 1 ? foreign : form)
                    #expect(answer.status == 409 && answer.code == "WRONG_STEP")
                    #expect(answer.details?["expected_step"]?.string == name)
                }
                let (step, form) = steps[min(next, 2)]
                #expect(try await scene.post(step, form).status == 200)
            }
        }
    }

    @Test func `invitations are used once, and only while they are good`() async throws {
        try await EnrolmentScene.with { scene async throws in
            func start(_ code: String) async throws -> DescribedAnswer {
                try await scene.post(
                    "start",
                    [
                        "invitation_code": .string(code), "device_id": .string("\(DeviceID(UUID()))"),
                        "device_type": "ios",
                    ])
            }
            let code = try await scene.invite()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 { group.addTask { try await start(code).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201, 409, 409, 409, 409, 409])
            #expect(try await start(code.lowercased()).code == "INVITATION_USED")
            for unknown in ["", "nonsense", "AAAAA-AAAAA-AAAAA-AAAAA-AAAAA", String(repeating: "A", count: 10_000)] {
                let answer = try await start(unknown)
                #expect(answer.status == 404 && answer.code == "INVITATION_UNKNOWN")
            }
            let late = try await scene.invite()
            try await scene.stack.psql(
                "UPDATE invitations SET created_at = now() - interval '2 h', expires_at = now() - interval '1 h' WHERE used_at IS NULL"
            )
            let expired = try await start(late)
            #expect(expired.status == 400 && expired.code == "INVITATION_EXPIRED")

            let revoked = try await scene.invitations(["create", "--days", "1"])
            let id = try #require(revoked["invitation_id"]?.string)
            #expect(try await scene.invitations(["revoke", id])["revoked"]?.bool == true)
            #expect(try await scene.invitations(["revoke", id], exitCode: 1)["before"]?.string == "revoked")
            #expect(try await start(#require(revoked["invitation_code"]?.string)).code == "INVITATION_UNKNOWN")
            let list = try await scene.invitations(["list"])["invitations"]?.array ?? []
            #expect(list.compactMap { $0["state"]?.string } == ["revoked", "used", "expired"])
            #expect(list.allSatisfy { $0["invitation_code"] == nil }, "a code is told once")
            _ = try await scene.invitations(["revoke", "\(UUID())"], exitCode: 1)
            for wrong in [["create", "--days", "0"], ["revoke", "x"], ["list", "--limit", "0"]] {
                _ = try await scene.invitations(wrong, exitCode: 64)
            }
        }
    }
}
