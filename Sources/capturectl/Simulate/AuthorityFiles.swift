import ArgumentParser
import DeviceSimulator
import FoundationEssentials

/// Reads the files of the simulators' test certificate authority; invalid files are bad usage.
enum AuthorityFiles {
    /// The authority of a directory or of its `authority.pem`.
    /// - Throws: `ValidationError` that names the file and says what is wrong with it.
    static func read(_ path: String) throws -> TestCertificateAuthority {
        try asUsage { () throws(SimulatorError) in try TestCertificateAuthority(path: path) }
    }

    /// The authority of a directory, made unless it is there.
    /// - Throws: `ValidationError` that names the file and says what is wrong with it.
    static func readOrMake(_ directory: String, at moment: Date) throws -> TestCertificateAuthority {
        try asUsage { () throws(SimulatorError) in
            try TestCertificateAuthority.loadOrCreate(directory: directory, at: moment)
        }
    }

    private static func asUsage<Value>(_ body: () throws(SimulatorError) -> Value) throws -> Value {
        do throws(SimulatorError) {
            return try body()
        } catch {
            guard error.code == .authority else { throw error }
            throw ValidationError(error.message)
        }
    }
}
