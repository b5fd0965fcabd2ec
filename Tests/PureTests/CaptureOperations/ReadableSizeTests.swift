import CaptureOperations
import Testing

struct ReadableSizeTests {
    private static let mebibyte = 1 << 20
    private static let sizes: [(count: Int, words: String)] = [
        (-1, "0 B"), (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536, "1.5 KiB"), (3 * mebibyte, "3 MiB"),
        (3 * mebibyte + mebibyte / 8, "3.1 MiB"), (99 * mebibyte, "99 MiB"), (100 * mebibyte + mebibyte / 2, "101 MiB"),
        (.max, "8388608 TiB"),
    ]

    @Test(arguments: sizes)
    func `a size is said in its largest unit, with a decimal where it says something`(count: Int, words: String) {
        #expect(ReadableSize.text(of: count) == words)
    }
}
