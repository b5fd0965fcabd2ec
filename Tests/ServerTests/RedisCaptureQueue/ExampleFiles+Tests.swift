import CaptureModel
import CaptureQueue
import Foundation
import TestSupport

extension ExampleFiles {
    static let metadata = Array("{\"captured_at\":\"2026-01-01T00:00:00Z\"}\n\n".utf8)

    /// Files with every byte value in them.
    static func ofEveryByte() throws -> ExampleFiles {
        let everyByte = (0...255).map { UInt8($0) }
        return try ExampleFiles(
            photo: everyByte, depth: everyByte + everyByte, assertion: [0xA2] + everyByte, metadata: metadata)
    }

    /// Files whose assertion is given.
    static func with(assertion: [UInt8]) throws -> ExampleFiles {
        try ExampleFiles(photo: [1], depth: [2], assertion: assertion, metadata: metadata)
    }

    func changeAssertion() throws {
        try Data([0xA2, 0, 13, 10, 0xFF]).write(to: directory.appending(path: "assertion"))
    }

    /// A redis-cli beside the files that fails where it is to read a command, which is the function's; how it is started.
    func clientWithoutFunctions() throws -> String {
        let script = directory.appending(path: "redis-cli")
        try Data("case \" $* \" in *' --raw ') exit 1 ;; esac\nexec redis-cli \"$@\"\n".utf8).write(to: script)
        return "sh \(script.path)"
    }

    /// A PATH with a base64 that decodes whatever it is given, as BusyBox's skips what it does not know.
    func pathWithLenientBase64() throws -> String {
        let programs = directory.appending(path: "programs")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: false)
        let program = programs.appending(path: "base64")
        try Data("#!/bin/sh\necho decoded\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        return "\(programs.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    }

    /// What our gateway would know the bundle by.
    func digest(of device: DeviceID) throws -> SHA256Digest {
        let digests = try ["photo", "depth", "assertion", "metadata"].map { name in
            SHA256Digest.hash(Array(try Data(contentsOf: directory.appending(path: name))))
        }
        return BundleDigest.compute(
            device: device, assertion: digests[2], photo: digests[0], depth: digests[1], metadata: digests[3])
    }
}
