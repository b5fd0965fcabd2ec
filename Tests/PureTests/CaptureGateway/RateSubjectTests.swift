import CaptureModel
import Testing

@testable import CaptureGateway

@Suite struct `What a client may do only so often` {
    /// As gateways of another release count, which may run beside this one.
    private static let keys: [(RateSubject, String)] = [
        (.challenge, "challenge:192.0.2.1"), (.enrolment(.start), "enrolment-start:192.0.2.1"),
        (.enrolment(.attestation), "enrolment-attestation:192.0.2.1"),
        (.enrolment(.password), "enrolment-password:192.0.2.1"),
        (.enrolment(.finalize), "enrolment-finalize:192.0.2.1"), (.token, "token:192.0.2.1"),
        (.login, "login:192.0.2.1"), (.signedRequest, "request:192.0.2.1"),
    ]

    @Test(arguments: keys) func `what a client may do only so often is counted by a name that does not change`(
        subject: RateSubject, key: String
    ) {
        #expect(subject.key(of: "192.0.2.1") == key)
    }

    @Test
    func `what a client may do only so often has the limit of challenges, that of logins, or that of signed requests`()
    {
        let rates = GatewayConfiguration.Rates(challengeLimit: 3, loginLimit: 7, requestLimit: 11)
        let limits = Self.keys.map { $0.0.limit(rates) }
        #expect(limits == [3, 3, 3, 3, 3, 7, 7, 11])
    }
}
