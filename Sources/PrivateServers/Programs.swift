import Foundation

/// The programs of this package, built beside the one that runs.
package enum Programs {
    /// The path of one, for example `capture-worker`.
    package static func path(_ name: String) -> String {
        // A test bundle lies in the folder of the build products, and is run by a program that does not.
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder =
            bundle?.deletingLastPathComponent()
            ?? URL(fileURLWithPath: executable).deletingLastPathComponent()
        return folder.appendingPathComponent(name).path
    }

    /// Where the running program is; on Linux even when the shell found it by its name alone.
    private static var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }
}
