import CLibFuzzer
import FuzzTargets
import Glibc

/// Feeds the fuzz target that `CAPTURE_FUZZ_TARGET` names; takes libFuzzer's options and folders.
///
/// A property that does not hold ends the process as a trap does; libFuzzer then leaves the input behind. The target is
/// not an argument because libFuzzer starts this program again with its own arguments when it merges corpora.
@main
struct Main {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        let code = unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
            let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
            do throws(BrokenProperty) {
                try Main.target.run(input)
            } catch {
                preconditionFailure("does not hold: \(error)")
            }
            return 0
        }
        exit(code)
    }

    /// Static, since a callback of C can capture nothing.
    private static let target: FuzzTarget = {
        let name = unsafe getenv("CAPTURE_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
            print("CAPTURE_FUZZ_TARGET must be one of: \(names)")
            exit(64)
        }
        return target
    }()
}
