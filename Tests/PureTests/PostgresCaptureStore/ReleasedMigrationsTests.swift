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
        "2 devices 882ff70ff373406e4451b8fdcbd0be670a99b8dd47c58ebadf5609b283efb718",
        "3 results 52bc356abdf0585662badbbea31369db6a18ee07a78e8db7b4a7f631921d754f",
        "4 intake 3570d323ab80e41cfe184b60093707b1e22a147bce0d0776638d6a42e6a758a8",
        "5 intake_close 12383a58d2c237334a99c854d2a0c620bbdd40498e5c47a2a4e28858e59f5779",
        "6 settle 61a197c6e75eb7d08c590365b942908dd15fa5787ebf6a2a753bd07a4323a3a5",
        "7 receipts df5544d521425d5f07c54e618953a4d2521743c29d52bfec89992443fa4ab743",
        "8 known_devices a4f3d6f9208d60a3686396e39dca94f473f55dfdad907a27beefae30d997d07f",
        "9 enrolment a6e29581e84d814484298ac55067869a57cf039a3173c829751f5f0551aeca47",
        "10 installation 3a57b29727f731c625515ab0df2d4910c10003980b62bb63b9d1e0ca9649b835",
    ]

    /// An edited one, be it by a comment, has every program refuse every database that the release has made.
    @Test func `a migration that was released is never edited, neither its way up nor its way down`() {
        let own = Migration.all.map { "\($0.version) \($0.name) \($0.checksum)" }
        #expect(Array(own.prefix(Self.released.count)) == Self.released)
    }
}
