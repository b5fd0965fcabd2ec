import AppAttest
package import CaptureModel
import NIOSSL

/// The certificates that a program's settings name, to tell of each before it ends.
///
/// Those for the servers are read at each look, as each new connection reads them. The roots of attestations are those
/// that the program has read: a renewed file is in force from its next start on.
package struct NamedCertificates: Sendable {
    /// How long before its end a certificate is told of.
    private static let notice = Duration.seconds(14 * 86_400)

    private let files: [CertificateFile]
    private let roots: [(path: String, root: TrustRoot)]

    init(files: [CertificateFile], roots: [(path: String, root: TrustRoot)]) {
        self.files = files
        self.roots = roots
    }

    /// Reports those that end soon; all of these are precautions, as connections that are open stay so.
    package func ending(at now: Timestamp) -> [SettingProblem] {
        files.compactMap { file in
            guard let end = file.end, Self.isNear(end, at: now) else { return nil }
            return Self.problem(of: file.setting, end: end, file.consequence)
        } + endingRoots(at: now)
    }

    /// A root that ended two weeks ago may be there for the devices that it has attested, and a renewed one is there twice.
    private func endingRoots(at now: Timestamp) -> [SettingProblem] {
        roots.filter { _, root in
            let isRenewed = roots.contains { $0.root.end > root.end && $0.root.isOfSameAuthority(as: root) }
            return now < root.end.advanced(by: Self.notice) && Self.isNear(root.end, at: now) && !isRenewed
        }.map { path, root in
            Self.problem(
                of: "\(path) in \(Setting.appRoots.key)", end: root.end,
                "no attestation under it is taken from then on")
        }
    }

    private static func isNear(_ end: Timestamp, at now: Timestamp) -> Bool { end < now.advanced(by: notice) }

    private static func problem(of setting: String, end: Timestamp, _ consequence: String) -> SettingProblem {
        SettingProblem(
            setting: setting, value: "good until \(end)", needed: "renewed", consequence: consequence,
            gravity: .precaution)
    }
}

/// A PEM file with the chain of one certificate, all of which is needed, or with authorities, of which any may do.
struct CertificateFile: Sendable {
    /// The setting that names it.
    let setting: String
    let path: String
    let hasAuthorities: Bool
    /// What happens once it has ended.
    var consequence = "no new connection is made from then on"

    /// From when on nothing in it can be used; `nil` where it cannot be read, which connections tell.
    var end: Timestamp? {
        do {
            let ends = try NIOSSLCertificate.fromPEMFile(path).map { certificate in
                Timestamp(millisecondsSince1970: Int64(certificate.notValidAfter) * 1000)
            }
            return hasAuthorities ? ends.max() : ends.min()
        } catch {
            return nil
        }
    }
}
