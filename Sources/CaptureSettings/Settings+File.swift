import CaptureModel
import Configuration
import Rollout
import SystemPackage
import Yams

extension Settings {
    /// The settings of a file; refuses unknown ones and duplicates.
    /// - Throws: ``SettingsError`` that tells an unreadable file from one that is not YAML.
    static func provider(
        ofFile file: String, for program: ProgramName
    ) async throws(SettingsError) -> any ConfigProvider {
        let hasSettings = try refuseUnknownKeys(inFile: file, of: try contents(of: file), to: program)
        // When everything is commented out there is no mapping to read: the defaults apply.
        guard hasSettings else { return InMemoryProvider(name: file, values: [:]) }
        do {
            return try await FileProvider<YAMLSnapshot>(filePath: FilePath(file))
        } catch {
            throw SettingsError("\(file): cannot be read as YAML: \(YAMLFault.words(for: error))")
        }
    }

    /// Many times the size of all settings, or of the certificates of many roots: a larger file is a mistake.
    private static let fileBytesMax = 1 << 20

    /// The text of a file of at most 1 MiB.
    /// - Parameter setting: The setting that names it, if one does.
    static func contents(of file: String, namedBy setting: Setting? = nil) throws(SettingsError) -> String {
        let place = "\(setting.map { "\($0.key): " } ?? "")\(file)"
        var bytes: [UInt8]
        do {
            bytes = try read(file)
        } catch {
            throw SettingsError("\(place): cannot be opened: \(error)")
        }
        guard bytes.count <= fileBytesMax else {
            throw SettingsError("\(place): has more than \(fileBytesMax) bytes")
        }
        // Some editors write a byte order mark at the start.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw SettingsError("\(place): is not UTF-8") }
        return text
    }

    private static func read(_ file: String) throws -> [UInt8] {
        let descriptor = try FileDescriptor.open(FilePath(file), .readOnly)
        return try descriptor.closeAfter {
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 65_536)
            while bytes.count <= fileBytesMax {
                let count = try piece.withUnsafeMutableBytes { try descriptor.read(into: $0) }
                guard count > 0 else { break }
                bytes += piece[..<count]
            }
            return bytes
        }
    }

    /// - Returns: Whether the file has anything except comments.
    private static func refuseUnknownKeys(
        inFile file: String, of text: String, to program: ProgramName
    ) throws(SettingsError) -> Bool {
        // Composed, not loaded: loading resolves merge keys, which the reader of the values does not.
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw SettingsError("\(file): cannot be read as YAML: \(YAMLFault.words(for: error))")
        }
        let known = Set(Setting.all.map(\.key))
        var given: Set<String> = []
        for key in keys(of: root, prefix: "") {
            guard !key.hasSuffix(mergeKey) else {
                throw SettingsError("\(file): \(key): merge keys are not taken; write out what they stand for")
            }
            guard known.contains(key) else { throw SettingsError("\(file): \(key): \(unknown(to: program))") }
            // Given both under its heading and with dots.
            guard given.insert(key).inserted else {
                throw SettingsError("\(file): \(key): is given more than once")
            }
        }
        return !isNothing(root)
    }

    private static let mergeKey = "<<"

    private static func isNothing(_ node: Node?) -> Bool { node == nil || node?.null != nil }

    /// The keys of all settings in a mapping, each with its headings; a merge key counts as one of them.
    private static func keys(of node: Node?, prefix: String) -> [String] {
        // A heading without settings.
        if isNothing(node) { return [] }
        guard let mapping = node?.mapping else { return prefix.isEmpty ? [] : [prefix] }
        return mapping.flatMap { key, value -> [String] in
            let name = key.string ?? "a key"
            let place = prefix.isEmpty ? name : "\(prefix).\(name)"
            return name == mergeKey ? [place] : keys(of: value, prefix: place)
        }
    }
}
