import Foundation
import Glibc
import Testing

@testable import FilesystemBundleStore

extension BundleFolder {
    var markFile: URL { directory.appending(path: BundleDirectory.mark) }

    /// What the mark says.
    func mark() throws -> String { try String(contentsOf: markFile, encoding: .utf8) }

    /// Has the directory as nobody has prepared it to its end.
    func removeMark() throws { try FileManager.default.removeItem(at: markFile) }

    /// All that is in the root.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
    }

    /// Makes a user, and the group of that number, the owner of the directory and of all that is in it.
    func give(to user: UInt32) throws {
        for name in try [""] + names() { try give(name, to: user) }
    }

    /// Makes them the owner of one thing in the root.
    func give(_ name: String, to user: UInt32) throws {
        try #require(chown(directory.appending(path: name).path, user, user) == 0)
    }

    /// User and group of something in the root.
    func owner(of name: String) throws -> [UInt32] {
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.appending(path: name).path)
        return [attributes[.ownerAccountID], attributes[.groupOwnerAccountID]]
            .compactMap { ($0 as? NSNumber)?.uint32Value }
    }

    /// Has it say something else.
    func write(mark: String) throws { try Data(mark.utf8).write(to: markFile) }
}
