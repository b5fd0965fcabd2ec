import CaptureModel
import TestSupport
import Testing

/// What other gateways compute as well: each text is written out here as README has it, its digest by `sha256sum`.
@Suite("Digests that are part of the contract")
struct BundleDigestTests {
    private let photo = SHA256Digest.hash(Array("photo".utf8))
    private let depth = SHA256Digest.hash(Array("depth".utf8))
    private let metadata = SHA256Digest.hash(Array("{}".utf8))

    @Test func `a bundle's is over its device, assertion, photo, depth map and metadata, in that order`() throws {
        let device = try #require(DeviceID("0F8FAD5B-D9CB-469F-A165-70867728950E"))
        let digest = BundleDigest.compute(
            device: device, assertion: .hash(Array("assertion".utf8)), photo: photo, depth: depth, metadata: metadata)
        #expect(digest.hex == "241f13bf491cf9e7469fd2435d65e7ef1e6f9eff4cf4f15f282a993d5502f6d0")
        let text = """
            capture-bundle-v1
            0f8fad5b-d9cb-469f-a165-70867728950e
            \(SHA256Digest.hash(Array("assertion".utf8)).hex)
            \(photo.hex)
            \(depth.hex)
            \(metadata.hex)
            """
        #expect(digest == .hash(Array(text.utf8)))
    }

    @Test func `the vector of README is a bundle's digest`() throws {
        let device = try #require(DeviceID("0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21"))
        let parts = ["a", "p", "d", "{}"].map { SHA256Digest.hash(Array($0.utf8)) }
        let digest = BundleDigest.compute(
            device: device, assertion: parts[0], photo: parts[1], depth: parts[2], metadata: parts[3])
        #expect(digest.hex == "f4511909f2f285a3e8f836b3abd18586fe673ce1c749bffd0de3befab110d823")
        #expect(try Repository.text("README.md").contains(digest.hex))
    }

    @Test func `what framed-v2 signs is over photo, depth map and metadata, in that order`() {
        let digest = Binding.framedV2Hash(photo: photo, depth: depth, metadata: metadata)
        #expect(digest.hex == "c75871ceabff72abb2d1fa0f62ed487ca8d92ad684c024dbcae12fddc5797544")
    }
}
