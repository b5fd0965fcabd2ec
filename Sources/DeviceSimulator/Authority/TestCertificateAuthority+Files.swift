import Crypto
package import FoundationEssentials
import SwiftASN1
import X509

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TestCertificateAuthority {
    /// The files of an authority's directory.
    package enum FileName {
        /// The root certificate: a verifier's trust root.
        package static let root = "root.pem"
        /// Both certificates and both keys: readable by the owner only.
        package static let authority = "authority.pem"
    }

    /// The root, root key, intermediate and intermediate key, for ``init(pem:)``.
    ///
    /// It holds private keys.
    package var pem: String {
        get throws(SimulatorError) {
            do {
                return try [
                    rootPEM, rootKey.pemRepresentation + "\n", intermediate.serializeAsPEM().pemString + "\n",
                    intermediateKey.pemRepresentation + "\n",
                ].joined()
            } catch {
                throw SimulatorError(.authority, "the authority could not be written as PEM")
            }
        }
    }

    /// Reads the text of ``pem``.
    /// - Throws: `AUTHORITY` for any other text.
    package init(pem: String) throws(SimulatorError) {
        do {
            let documents = try PEMDocument.parseMultiple(pemString: pem)
            guard documents.count == 4 else {
                throw SimulatorError(.authority, "two certificates and two keys are wanted")
            }
            let root = try Certificate(pemDocument: documents[0])
            let rootKey = try P384.Signing.PrivateKey(pemRepresentation: documents[1].pemString)
            let intermediate = try Certificate(pemDocument: documents[2])
            let intermediateKey = try P384.Signing.PrivateKey(pemRepresentation: documents[3].pemString)
            guard root.publicKey == .init(rootKey.publicKey),
                intermediate.publicKey == .init(intermediateKey.publicKey), intermediate.issuer == root.subject
            else { throw SimulatorError(.authority, "keys and certificates do not belong together") }
            try self.init(root: root, rootKey: rootKey, intermediate: intermediate, intermediateKey: intermediateKey)
        } catch let error as SimulatorError {
            throw error
        } catch {
            throw SimulatorError(.authority, "the text is not a test certificate authority")
        }
    }

    /// Reads an authority from its directory, or from its `authority.pem`.
    /// - Throws: `AUTHORITY` if the file is missing or holds no authority.
    package init(path: String) throws(SimulatorError) {
        let file = Self.isDirectory(path) ? "\(path)/\(FileName.authority)" : path
        let text = String(decoding: try Self.content(of: file), as: UTF8.self)
        do throws(SimulatorError) {
            try self.init(pem: text)
        } catch {
            throw SimulatorError(error.code, "\(file): \(error.message)")
        }
    }

    /// Reads the authority of a directory, or makes one there if the directory has none.
    /// - Throws: `AUTHORITY` if files cannot be read or written; `CERTIFICATE`.
    package static func loadOrCreate(
        directory: String, at moment: @autoclosure () -> Date
    ) throws(SimulatorError) -> TestCertificateAuthority {
        if FileManager.default.fileExists(atPath: "\(directory)/\(FileName.authority)") {
            return try TestCertificateAuthority(path: directory)
        }
        let authority = try TestCertificateAuthority(at: moment())
        try authority.write(directory: directory)
        return authority
    }

    /// Writes `root.pem` and `authority.pem`; only its owner can read the latter, from its first byte on.
    /// - Throws: `AUTHORITY` if a file is there already or cannot be written.
    package func write(directory: String) throws(SimulatorError) {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            let reason = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
            throw SimulatorError(
                .authority, "\(directory) cannot be made" + (reason.map { ": \(Self.words(for: $0))" } ?? ""))
        }
        // The keys last: their file shows that the directory is complete.
        try Self.create("\(directory)/\(FileName.root)", mode: 0o644, replacing: true, rootPEM)
        try Self.create("\(directory)/\(FileName.authority)", mode: 0o600, replacing: false, try pem)
    }

    /// Many times the size of an authority; a larger file is not one.
    private static let bytesMax = 64 * 1024

    /// A file's bytes, or enough of them to show that it is too large.
    private static func content(of file: String) throws(SimulatorError) -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SimulatorError(.authority, "\(file) cannot be read: \(words(for: errno))")
        }
        let handle = FileHandleOwner(descriptor: descriptor)
        guard let content = handle.read(bytesMax: bytesMax + 1) else {
            throw SimulatorError(.authority, "\(file) cannot be read: \(words(for: errno))")
        }
        guard content.count <= bytesMax else {
            throw SimulatorError(.authority, "\(file): more than \(bytesMax) bytes are no test certificate authority")
        }
        return content
    }

    /// The message for an error number of C.
    private static func words(for code: CInt) -> String { String(cString: strerror(code)) }

    private static func isDirectory(_ path: String) -> Bool {
        var directory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &directory) && directory
    }

    private static func create(
        _ path: String, mode: mode_t, replacing: Bool, _ text: String
    ) throws(SimulatorError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? O_TRUNC : O_EXCL), mode)
        guard descriptor >= 0 else {
            throw SimulatorError(.authority, "\(path) cannot be made: \(words(for: errno))")
        }
        let handle = FileHandleOwner(descriptor: descriptor)
        guard handle.write(Array(text.utf8)) else {
            throw SimulatorError(.authority, "\(path) cannot be written")
        }
    }
}

/// Owns an open file and closes it.
private struct FileHandleOwner: ~Copyable {
    let descriptor: CInt

    deinit { close(descriptor) }

    /// Reads to the end or up to `bytesMax` bytes; `nil` on failure, with the reason in `errno`.
    func read(bytesMax: Int) -> [UInt8]? {
        var content = [UInt8](repeating: 0, count: bytesMax)
        var count = 0
        while count < bytesMax {
            let got = content.withUnsafeMutableBytes { room in
                take(descriptor, room.baseAddress.map { $0 + count }, room.count - count)
            }
            guard got >= 0 else { return nil }
            guard got > 0 else { break }
            count += got
        }
        return Array(content[..<count])
    }

    /// Writes every byte; `false` on failure.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { put(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}

/// The C library's `read`, which a method of that name would hide.
private func take(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

/// The C library's `write`, which a method of that name would hide.
private func put(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
