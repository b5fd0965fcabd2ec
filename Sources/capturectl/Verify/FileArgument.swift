import ArgumentParser
import SystemPackage

/// Reads values of the command line, and the files that they name with a leading `@`.
enum FileArgument {
    /// More than any object verified here; a larger file is a mistake.
    static let bytesMax = 16 * 1024 * 1024

    /// The most that `capture.photoBytesMax` and `capture.depthBytesMax` can be set to.
    static let mediaBytesMax = 64 * 1024 * 1024

    /// The value itself, to be decoded as base64, or the file's bytes as they are.
    static func bytes(_ value: String) throws -> VerificationFields.Bytes {
        guard value.hasPrefix("@") else { return .base64(value) }
        return .content(try content(String(value.dropFirst())))
    }

    /// Reads an attestation, assertion or receipt, whose file may hold base64 as well.
    ///
    /// The formats cannot be confused: no CBOR map begins with an ASCII character, and no receipt is UTF-8, as its
    /// second byte is 0x80 or more.
    static func object(_ value: String) throws -> VerificationFields.Bytes {
        let bytes = try bytes(value)
        guard case .content(let content) = bytes, let text = String(validating: content, as: UTF8.self),
            let decoded = Base64Text.decode(text)
        else { return bytes }
        return .content(decoded)
    }

    /// A text file as a whole.
    static func text(_ path: String) throws -> String {
        String(decoding: try content(path), as: UTF8.self)
    }

    /// A file's bytes as they are, to be sent on.
    static func file(_ path: String) throws -> [UInt8] { try content(path) }

    /// The bytes of a photo or a depth map as they are.
    static func media(_ path: String) throws -> [UInt8] { try content(path, bytesMax: mediaBytesMax) }

    private static func content(_ path: String, bytesMax: Int = FileArgument.bytesMax) throws -> [UInt8] {
        let content: [UInt8]
        do {
            content = try read(path, bytesMax: bytesMax)
        } catch {
            let hint = path.hasPrefix("@") ? "; a file is named without @ here" : ""
            throw ValidationError("\(path) cannot be read: \(error)\(hint)")
        }
        guard content.count <= bytesMax else { throw ValidationError("\(path) has more than \(bytesMax) bytes") }
        return content
    }

    /// Reads a file, a pipe or a device to its end, or to a little more than `bytesMax` bytes.
    /// - Throws: `Errno`.
    static func read(_ path: String, bytesMax: Int) throws -> [UInt8] {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        return try file.closeAfter {
            var content: [UInt8] = []
            while content.count <= bytesMax {
                let piece = try [UInt8](unsafeUninitializedCapacity: pieceBytes) { room, count in
                    count = try file.read(into: UnsafeMutableRawBufferPointer(room))
                }
                guard !piece.isEmpty else { break }
                content += piece
            }
            return content
        }
    }

    private static let pieceBytes = 64 * 1024
}
