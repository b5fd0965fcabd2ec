import ArgumentParser
import FoundationEssentials
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A new directory that takes the parts of a capture: for its owner only, and nothing that was there before.
struct BundleOutput {
    /// The parts, under the names that the README's examples have.
    enum Part: String, CaseIterable {
        case photo = "photo.jpg"
        case depth = "depth.bin"
        case assertion = "assertion.cbor"
        case metadata = "metadata.json"
        /// What stands in for Apple's root when the evidence is verified.
        case root = "root.pem"
    }

    /// The directory's path as it was given.
    let path: String

    /// Takes a path where nothing is yet.
    /// - Throws: `ValidationError` that names it.
    init(_ path: String) throws(ValidationError) {
        guard !FileManager.default.fileExists(atPath: path) else { throw Self.taken(path) }
        self.path = path
    }

    /// The path from the root of the file system.
    var absolutePath: String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// Makes the directory and writes every part into it; where one cannot be written, nothing is left.
    /// - Throws: `ValidationError` where there can be no such directory; `Errno` where a part cannot be written.
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
