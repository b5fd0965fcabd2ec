package import CaptureSettings
import Glibc

/// How many file descriptors the system allows the process.
///
/// A process that has none left is not only refused connections: libdispatch, which then cannot look at its threads,
/// ends it without a word.
package enum DescriptorLimit {
    /// What a program needs while nobody is connected, and some to spare.
    package static let least = 128

    /// Sees to it that a program has the least.
    /// - Throws: If the system does not allow it.
    package static func require() throws(SettingsError) {
        let allowed = raise(to: least)
        guard allowed >= least else {
            throw SettingsError("the system allows \(allowed) file descriptors (ulimit -Hn): \(least) are the least")
        }
    }

    /// Raises the limit as far as the system allows, and returns what it is then.
    package static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        if limit.rlim_cur < rlim_t(wanted) {
            limit.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
            guard setrlimit(resource, &limit) == 0 else { return .max }
        }
        return Int(clamping: limit.rlim_cur)
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
