import PostgresCaptureStore
import Testing

/// Each program compares the steps of its database with its own when it starts.
@Suite("Migrations of releases")
struct ReleasedMigrationsTests {
    /// Number, name and checksum of the steps of 0.1.0, the first release.
    ///
    /// Each later release adds its own at the end.
    private static let released = [
        "1 audit df658603367e02067a7e86e96ac151f623ba72485197418f4413ac3eeed977f6",
        "2 devices 4cd7f7cbcc418d8786e47e3609fc925a496cf0991b529dba4f1bfa8f88179b50",
        "3 results 8ad7c5a6e1e7a4972c0e010690413fba2d85d863c6d850968f84e8fbc78a39fa",
        "4 intake 163d8140a919f825245d196af8ab289d10021282d92570e8632431b9f6232a95",
        "5 intake_close 02a4552259a4d6a8e9504277f0a5587ad458faf392771c79f0fde085aec757cb",
        "6 settle 14dfe83f3d98b6925d487b1cc0cb63a48113ed4528d196cf28544f7aa2b254e1",
        "7 receipts f19b97afe16f16f4b1f5bca4079b260e5b1df4788344e38398d6b3ca10bd7398",
        "8 known_devices a4f3d6f9208d60a3686396e39dca94f473f55dfdad907a27beefae30d997d07f",
        "9 enrolment 4ff003adc1c65d4b10b7336fbd4acb4e9c26804c6bb5e8b4a9ac2e7f1b886e52",
        "10 installation 3a57b29727f731c625515ab0df2d4910c10003980b62bb63b9d1e0ca9649b835",
    ]

    /// An edited one, be it by a comment, has every program refuse every database that the release has made.
    @Test func `a migration that was released is never edited, neither its way up nor its way down`() {
        let own = Migration.all.map { "\($0.version) \($0.name) \($0.checksum)" }
        #expect(Array(own.prefix(Self.released.count)) == Self.released)
    }
}
