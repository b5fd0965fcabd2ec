import ArgumentParser
import Crypto
import SystemPackage

/// The file of a developer's key that `simulate apple` goes by.
enum DeveloperKeyFile {
    /// Many times a key's; a larger file is none.
    private static let bytesMax = 64 * 1024

    /// The file's key, or a new one where there is no file.
    ///
    /// Whatever is there stays as it is: it may be a real key, or something that this command knows nothing of.
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

    /// Readable by its owner only, as a real one should be.
    private static func make(_ path: String) throws(ValidationError) -> P256.Signing.PrivateKey {
        let made = P256.Signing.PrivateKey()
        do {
            // Nobody's who has come in between, and nothing that a link leads to.
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
            try file.closeAfter { _ = try file.writeAll(made.pemRepresentation.utf8) }
        } catch {
            throw ValidationError("\(path) cannot be made: \(error)")
        }
        return made
    }
}
