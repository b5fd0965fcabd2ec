package import CaptureModel
import Glibc

/// A file with a private key that every user of the machine can read or change.
package struct ExposedKeyFile: Sendable, Equatable, CustomStringConvertible {
    /// The setting that names it.
    package let setting: String
    /// Where it is.
    package let path: String
    /// Its permissions, as `chmod` takes them.
    package let mode: UInt32

    /// What is wrong with it, and what to do.
    package var problem: String {
        "\(path) has the mode 0\(String(mode, radix: 8)), open to every user of this machine: chmod o= \(path)"
    }

    /// The setting and the problem.
    package var description: String { "\(setting): \(problem)" }
}

extension Settings {
    /// The files with private keys that a program reads and that others than their owner and group may access.
    ///
    /// No reason to refuse a start: in a container there may be no other user. Rights of the group are common there, and
    /// not told.
    package func exposedKeyFiles(of program: ProgramName) -> [ExposedKeyFile] {
        var read: [Setting] = [.appleKeyFile, .redisTLSKey]
        // Workers seal and open nothing.
        if program == .gateway { read.insert(.enrolmentKeyFile, at: 0) }
        return read.compactMap { setting in
            guard let path = text(setting) else { return nil }
            // Of the file that a link leads to: mounted secrets are links.
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & 0o006 != 0 else { return nil }
            return ExposedKeyFile(setting: setting.key, path: path, mode: status.st_mode & 0o7777)
        }
    }
}
