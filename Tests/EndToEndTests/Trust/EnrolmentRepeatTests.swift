import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

/// Requests of an enrolment that come twice, or at once, against real servers.
@Suite(.timeLimit(.minutes(5))) struct `Enrolment that is asked for again` {
    private static func start(_ code: String, _ phone: EnrollingPhone) -> JSONValue {
        ["invitation_code": .string(code), "device_id": .string("\(phone.id)"), "device_type": "ios"]
    }

    @Test func `a repeated enrolment begins once and is attested once, and its device is told so whenever it asks`()
        async throws
    {
        try await EnrolmentScene.with { scene async throws in
            let phone = EnrollingPhone()
            let form = Self.start(try await scene.invite(), phone)
            let answers = try await scene.race("start", form)
            let data = try #require(answers[0].data)
            #expect(answers.allSatisfy { $0.status == 201 && $0.data == data })
            #expect(try await scene.post("start", form).data == data)
            let ticket = try EnrolmentTicket(data)
            let attested = try await scene.race("attestation/ios", phone.attestationForm(ticket, scene))
            let answer = try #require(attested[0].data)
            #expect(attested.allSatisfy { $0.status == 200 && $0.data == answer })
            #expect(try await scene.post("start", form).code == "INVITATION_USED")
            for action in ["start", "attest"] {
                let done = try await scene.stack.psql(
                    "SELECT count(*) FROM audit WHERE action = 'enrolment.\(action)'")
                #expect(done == "1")
            }
        }
    }

    @Test func `a repeated enrolment with a device id that is registered leaves the invitation to a new one`()
        async throws
    {
        try await EnrolmentScene.with { scene async throws in
            // It was attested, and gave up then.
            let phone = EnrollingPhone()
            let ticket = try await scene.gateway.startEnrolment(invitation: scene.invite(), device: phone.id)
            #expect(try await scene.post("attestation/ios", phone.attestationForm(ticket, scene)).status == 200)
            let code = try await scene.invite()
            for _ in 0..<2 {
                let refused = try await scene.post("start", Self.start(code, phone))
                #expect(refused.status == 409 && refused.code == "CONFLICT")
                let message = refused.json["error"]?["message"]?.string
                #expect(message?.contains("new device id and a new App Attest key") == true)
            }
            let fresh = EnrollingPhone()
            let began = try await scene.post("start", Self.start(code, fresh))
            let attestation = try fresh.attestationForm(EnrolmentTicket(#require(began.data)), scene)
            #expect(try await scene.post("attestation/ios", attestation).status == 200)
        }
    }

    @Test func `a repeated enrolment by six at once is done once, whatever each of them had read`() async throws {
        try await EnrolmentScene.with { scene async throws in
            for _ in 0..<5 {
                let phone = EnrollingPhone()
                let ticket = try await scene.gateway.startEnrolment(invitation: scene.invite(), device: phone.id)
                #expect(try await scene.post("attestation/ios", phone.attestationForm(ticket, scene)).status == 200)

                let set = try await scene.race("set-password", phone.passwordForm(ticket))
                #expect(set.count { $0.status == 200 } == 1)
                #expect(set.count { $0.status == 409 && $0.code == "WRONG_STEP" } == 5)

                let done = try await scene.race(
                    "finalize",
                    ["enrollment_session_id": .string(ticket.session), "key_id": .string(ticket.keys[7].id)])
                #expect(done.allSatisfy { $0.status == 200 && $0.data == done[0].data })
                let credential = done[0].data?["credential_package"]?["credential"]
                #expect(credential?["key_id"]?.string == ticket.keys[7].id)
            }
        }
    }

    @Test func `a repeated enrolment by whoever has read the database is not found`() async throws {
        try await EnrolmentScene.with { scene async throws in
            let ticket = try await EnrollingPhone().setPassword(scene)
            _ = try await scene.gateway.finalizeEnrolment(ticket)
            let row = try await scene.stack.psql("SELECT to_jsonb(enrolments) FROM enrolments")
            #expect(!row.contains(ticket.session))
            let ids = row.matches(of: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/).map { String($0.output) }
            #expect(ids.count == 4, "of the row, its user, its invitation and its device")
            for id in ids {
                let answer = try await scene.post("finalize", ["enrollment_session_id": .string(id)])
                #expect(answer.status == 404 && answer.code == "ENROLLMENT_NOT_FOUND")
            }
            let own = try await scene.post("finalize", ["enrollment_session_id": .string(ticket.session)])
            #expect(own.status == 200)
        }
    }
}

extension EnrolmentScene {
    /// Sends a step six times at once.
    fileprivate func race(_ step: String, _ form: JSONValue) async throws -> [DescribedAnswer] {
        try await withThrowingTaskGroup(of: DescribedAnswer.self) { group in
            for _ in 0..<6 { group.addTask { try await post(step, form) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
