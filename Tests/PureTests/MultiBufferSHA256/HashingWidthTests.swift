import CMultiBufferSHA256
import CProcessor
import MultiBufferSHA256
import Testing

@Suite struct HashingWidthTests {
    /// What a processor has, and the width that it is to use.
    struct Choice: Sendable, CustomTestStringConvertible {
        let processor: String
        let sha: Bool
        let avx2: Bool
        let avx512: Bool
        let width: HashingWidth

        var testDescription: String { processor }
    }

    static let choices = [
        Choice(processor: "Zen 4 and later, Ice Lake", sha: true, avx2: true, avx512: true, width: .sixteen),
        Choice(processor: "Zen to Zen 3, Alder Lake", sha: true, avx2: true, avx512: false, width: .two),
        Choice(processor: "Goldmont", sha: true, avx2: false, avx512: false, width: .two),
        Choice(processor: "Skylake-SP, Cascade Lake", sha: false, avx2: true, avx512: true, width: .sixteen),
        Choice(processor: "Haswell to Comet Lake", sha: false, avx2: true, avx512: false, width: .eight),
        Choice(processor: "older, or no x86-64", sha: false, avx2: false, avx512: false, width: .one),
    ]

    @Test(arguments: choices) func `the width follows from what the processor has`(_ choice: Choice) {
        let processor = processor_features(
            sha: choice.sha, avx2: choice.avx2, avx512: choice.avx512, avx512_ifma: choice.avx512)
        #expect(HashingWidth.fastest(on: processor) == choice.width)
    }

    @Test func `the width that is chosen here is one that this processor has`() {
        #expect(HashingWidth.fastest.isAvailable)
        #expect(HashingWidth.one.isAvailable)
        #expect(MessageHasher().width == HashingWidth.fastest)
    }

    @Test func `a width that no kernel was written for is not available`() {
        let processor = processor_features(sha: true, avx2: true, avx512: true, avx512_ifma: true)
        for lanes in [0, 1, 3, 4, 32] where cmb_sha256_kernel_of(processor, lanes) != nil {
            Issue.record("there is a kernel for \(lanes) lanes")
        }
    }
}
