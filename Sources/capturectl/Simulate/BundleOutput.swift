import ArgumentParser
import FoundationEssentials
import Glibc
import SystemPackage

/// A new directory for the parts of a capture, readable by its owner only.
struct BundleOutput {
    /// The parts, named as in the README's examples.
    enum Part: String, CaseIterable {
        case photo = "photo.jpg"
        case depth = "depth.bin"
        case assertion = "assertion.cbor"
        case metadata = "metadata.json"
        /// The root that replaces Apple's when the evidence is verified.
        case root = "root.pem"
    }

    /// The directory's path as it was given.
    let path: String

    /// Takes a path that must not exist yet.
    /// - Throws: `ValidationError` that names it.
    init(_ path: String) throws(ValidationError) {
        guard !FileManager.default.fileExists(atPath: path) else { throw Self.taken(path) }
        self.path = path
    }

    /// The path from the root of the file system.
    var absolutePath: String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// Makes the directory and writes every part into it; if one cannot be written, nothing is left behind.
    /// - Throws: `ValidationError` if the directory cannot be made; `Errno` if a part cannot be written.
    func write(_ parts: [Part: [UInt8]]) throws {
        guard mkdir(path, 0o700) == 0 else {
            let fault = Errno(rawValue: errno)
            throw fault == .fileExists ? Self.taken(path) : ValidationError("\(path) cannot be made: \(fault)")
        }
        do {
            for part in Part.allCases { try write(parts[part] ?? [], as: part) }
        } catch {
            for part in Part.allCases { unlink("\(path)/\(part.rawValue)") }
            rmdir(path)
            throw error
        }
    }

    private func write(_ bytes: [UInt8], as part: Part) throws {
        let file = try FileDescriptor.open(
            FilePath(path).appending(part.rawValue), .writeOnly, options: [.create, .exclusiveCreate],
            permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    private static func taken(_ path: String) -> ValidationError {
        ValidationError("\(path) is there already: --out takes a directory that is to be made")
    }
}
