import ConnectionFault
import NIOSSL
import SystemPackage

extension RedisTLS {
    /// Which of the files cannot be used, and why.
    package struct FileFault: Error, Sendable, CustomStringConvertible {
        /// What a file is for.
        package enum Purpose: Sendable {
            /// The authorities to trust.
            case roots
            /// The client's certificate chain.
            case certificate
            /// The key of the certificate.
            case privateKey
        }

        /// What the file is for.
        package let purpose: Purpose
        /// The file's path and what is wrong with it; nothing of what is in it.
        package let description: String
    }

    /// Checks that the files that are named can be read, and that the key is the certificate's.
    package func checkFiles() throws(FileFault) {
        // Only the system's roots are used: no setting to check.
        guard rootsFile != nil || certificateFile != nil else { return }
        _ = try context()
    }

    /// The TLS context of connections.
    func context() throws(FileFault) -> NIOSSLContext {
        var settings = TLSConfiguration.makeClientConfiguration()
        settings.minimumTLSVersion = .tlsv12
        settings.certificateVerification = .fullVerification
        if let rootsFile {
            let roots = try Self.read(rootsFile, for: .roots) { try NIOSSLCertificate.fromPEMFile($0) }
            settings.trustRoots = .certificates(roots)
        }
        if let certificateFile, let privateKeyFile {
            let chain = try Self.read(certificateFile, for: .certificate) { try NIOSSLCertificate.fromPEMFile($0) }
            let key = try Self.read(privateKeyFile, for: .privateKey) { try NIOSSLPrivateKey(file: $0, format: .pem) }
            settings.certificateChain = chain.map { .certificate($0) }
            settings.privateKey = .privateKey(key)
        }
        do {
            return try NIOSSLContext(configuration: settings)
        } catch {
            // Each file is valid by itself.
            guard let privateKeyFile else {
                throw FileFault(
                    purpose: .roots, description: "\(rootsFile ?? "the system's roots") cannot be used: \(error)")
            }
            throw FileFault(
                purpose: .privateKey, description: "\(privateKeyFile) does not go with the certificate: \(error)")
        }
    }

    private static func read<Content>(
        _ file: String, for purpose: FileFault.Purpose, _ load: (String) throws -> Content
    ) throws(FileFault) -> Content {
        do {
            // NIOSSL does not tell a file of certificates that cannot be read from one that holds none.
            try FileDescriptor.open(FilePath(file), .readOnly).close()
            return try load(file)
        } catch {
            throw FileFault(purpose: purpose, description: "\(file) cannot be used: \(words(for: error))")
        }
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case NIOSSLError.failedToLoadCertificate: "it holds no certificate in PEM form, or a broken one"
        case NIOSSLError.failedToLoadPrivateKey: "it holds no private key in PEM form, or one behind a passphrase"
        default: ConnectionFault.reason(of: error)
        }
    }
}
