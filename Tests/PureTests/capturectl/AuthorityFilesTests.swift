import ArgumentParser
import DeviceSimulator
import Foundation
import PrivateServers
import Testing

@testable import capturectl

@Suite("A wrong test certificate authority is bad usage")
struct AuthorityFilesTests {
    private let directory: URL
    private let moment = Date(timeIntervalSince1970: 1_790_000_000)

    init() throws { directory = try TemporaryDirectory.make("authority") }

    private func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    @Test func `a missing certificate authority is bad usage, which says that there is none`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        for (given, file) in [(path("none"), path("none")), (directory.path, path("authority.pem"))] {
            let error = #expect(throws: ValidationError.self) { try AuthorityFiles.read(given) }
            #expect(error?.message == "\(file) cannot be read: No such file or directory")
        }
    }

    @Test(arguments: [(Data("junk".utf8), ""), (Data(count: 1 << 20), "more than 65536")])
    func `a damaged certificate authority is bad usage, which says what is wrong with a file`(
        content: Data, words: String
    ) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try content.write(to: directory.appendingPathComponent("ca.pem"))
        let error = #expect(throws: ValidationError.self) { try AuthorityFiles.read(path("ca.pem")) }
        #expect(error?.message.hasPrefix("\(path("ca.pem")): \(words)") == true, "\(error?.message ?? "")")
    }

    @Test func `a certificate authority that cannot be made is bad usage, which says why`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data().write(to: directory.appendingPathComponent("file"))
        let error = #expect(throws: ValidationError.self) {
            try AuthorityFiles.readOrMake(path("file/ca"), at: moment)
        }
        #expect(error?.message == "\(path("file/ca")) cannot be made: Not a directory", "\(error?.message ?? "")")
    }

    @Test func `a root of something else is bad usage, which names it`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("my own".utf8).write(to: directory.appendingPathComponent("root.pem"))
        let error = #expect(throws: ValidationError.self) { try AuthorityFiles.readOrMake(directory.path, at: moment) }
        #expect(error?.message.hasPrefix("\(path("root.pem")) is there without authority.pem") == true)
    }

    @Test func `a certificate authority that was made is read`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let made = try AuthorityFiles.readOrMake(directory.path, at: moment)
        #expect(try AuthorityFiles.read(directory.path).rootPEM == made.rootPEM)
    }
}
