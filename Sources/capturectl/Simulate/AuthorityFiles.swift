import ArgumentParser
import DeviceSimulator
import FoundationEssentials

/// The files of the test certificate authority that the simulators go by: those that are none are bad usage.
enum AuthorityFiles {
    /// The authority of a directory or of its `authority.pem`.
    /// - Throws: `ValidationError` that names the file and says what is wrong with it.
    static func read(_ path: String) throws -> TestCertificateAuthority {
        try asUsage { () throws(SimulatorError) in try TestCertificateAuthority(path: path) }
    }

    /// The authority of a directory, made unless it is there.
    /// - Throws: The same.
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
