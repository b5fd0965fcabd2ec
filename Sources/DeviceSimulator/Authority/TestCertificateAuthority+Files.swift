import Crypto
package import FoundationEssentials
import Glibc
import SwiftASN1
import X509

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
        let file = AuthorityFile(path: Self.isDirectory(path) ? "\(path)/\(FileName.authority)" : path)
        let text = String(decoding: try file.content(), as: UTF8.self)
        do throws(SimulatorError) {
            try self.init(pem: text)
        } catch {
            throw SimulatorError(error.code, "\(file.path): \(error.message)")
        }
    }

    /// Reads the authority of a directory, or makes one there if the directory has none.
    ///
    /// If several processes do so at once, all get the authority of the one that was first. Beside its `authority.pem`,
    /// `root.pem` is written anew where it is not this authority's root alone; without one, it is somebody else's.
    /// - Throws: `AUTHORITY` if files cannot be read or written, or `root.pem` is somebody else's; `CERTIFICATE`.
    package static func loadOrCreate(
        directory: String, at moment: @autoclosure () -> Date
    ) throws(SimulatorError) -> TestCertificateAuthority {
        if !FileManager.default.fileExists(atPath: "\(directory)/\(FileName.authority)") {
            try refuseForeignRoot(in: directory)
            _ = try TestCertificateAuthority(at: moment()).make(in: directory)
        }
        let authority = try TestCertificateAuthority(path: directory)
        try authority.writeRoot(in: directory)
        return authority
    }

    /// Writes `authority.pem`, which only its owner can read, and `root.pem`.
    /// - Throws: `AUTHORITY` if the directory has an authority or a `root.pem` already, or a file cannot be written.
    package func write(directory: String) throws(SimulatorError) {
        try Self.refuseForeignRoot(in: directory)
        guard try make(in: directory) else {
            throw SimulatorError(.authority, "\(directory)/\(FileName.authority) is there already")
        }
        try writeRoot(in: directory)
    }

    /// Refuses a directory with a `root.pem` that no authority here can have written: it would be overwritten.
    ///
    /// Looks for that file first. Another process writes `authority.pem` before it, so that one is there by then.
    private static func refuseForeignRoot(in directory: String) throws(SimulatorError) {
        let root = "\(directory)/\(FileName.root)"
        guard FileManager.default.fileExists(atPath: root),
            !FileManager.default.fileExists(atPath: "\(directory)/\(FileName.authority)")
        else { return }
        throw SimulatorError(
            .authority, "\(root) is there without \(FileName.authority): it is somebody else's and stays as it is")
    }

    /// Writes `authority.pem` unless the directory has one; returns whether it had none.
    private func make(in directory: String) throws(SimulatorError) -> Bool {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            let reason = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
            throw SimulatorError(
                .authority, "\(directory) cannot be made" + (reason.map { ": \(AuthorityFile.words(for: $0))" } ?? ""))
        }
        return try AuthorityFile(path: "\(directory)/\(FileName.authority)").make(try pem)
    }

    /// Writes `root.pem` unless it is this authority's.
    ///
    /// Only after `authority.pem`: that file decides whose directory it is.
    private func writeRoot(in directory: String) throws(SimulatorError) {
        let file = AuthorityFile(path: "\(directory)/\(FileName.root)")
        guard FileManager.default.contents(atPath: file.path) != Data(rootPEM.utf8) else { return }
        try file.replace(with: rootPEM)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var directory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &directory) && directory
    }
}
