import Foundation

/// The programs of this package, built beside the running one.
package enum Programs {
    /// The path of a program, for example `capture-worker`.
    package static func path(_ name: String) -> String {
        // A test bundle is in the folder of the build products; the program that runs it is not.
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder =
            bundle?.deletingLastPathComponent()
            ?? URL(fileURLWithPath: executable).deletingLastPathComponent()
        return folder.appendingPathComponent(name).path
    }

    /// The place of the running program; on Linux even when the shell found it by its name alone.
    private static var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }
}
