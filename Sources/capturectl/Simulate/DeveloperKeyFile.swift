import ArgumentParser
import Crypto
import SystemPackage

/// The file with the developer's key of `simulate apple`.
enum DeveloperKeyFile {
    /// Many times the size of a key; a larger file is not a key.
    private static let bytesMax = 64 * 1024

    /// The file's key, or a new one if there is no file.
    ///
    /// An existing file is never changed: it may be a real key, or a file unknown to this command.
    /// - Throws: `ValidationError` that names the file.
    static func key(_ path: String) throws(ValidationError) -> P256.Signing.PrivateKey {
        let bytes: [UInt8]
        do {
            bytes = try FileArgument.read(path, bytesMax: bytesMax)
        } catch Errno.noSuchFileOrDirectory {
            return try make(path)
        } catch {
            throw ValidationError("\(path) cannot be read: \(error)")
        }
        guard let pem = String(validating: bytes, as: UTF8.self),
            let key = try? P256.Signing.PrivateKey(pemRepresentation: pem)
        else { throw ValidationError("\(path) holds no P-256 key in PEM form; move it away to have one made") }
        return key
    }

    /// Makes a key file that only its owner may read, like a real one.
    private static func make(_ path: String) throws(ValidationError) -> P256.Signing.PrivateKey {
        let made = P256.Signing.PrivateKey()
        do {
            // Never overwrites a file made in between, and follows no link.
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
            try file.closeAfter { _ = try file.writeAll(made.pemRepresentation.utf8) }
        } catch {
            throw ValidationError("\(path) cannot be made: \(error)")
        }
        return made
    }
}
