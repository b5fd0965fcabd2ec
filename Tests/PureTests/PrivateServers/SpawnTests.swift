import Foundation
import Testing

@testable import PrivateServers

/// Each test has a process of its own, in which nobody else makes a pipe.
@Suite("Children that cannot be started", .timeLimit(.minutes(1)))
struct SpawnTests {
    /// The descriptors that are opened next.
    private static func next(_ count: Int) -> [Int32] {
        let descriptors = (0..<count).map { _ in open("/dev/null", O_RDONLY) }
        for descriptor in descriptors { close(descriptor) }
        return descriptors
    }

    /// How many ends of pipes are open.
    ///
    /// Files do not count: the runtime opens some at any time.
    private static func pipeEnds() -> Int {
        let (files, directory) = (FileManager.default, "/proc/self/fd/")
        let descriptors = (try? files.contentsOfDirectory(atPath: directory)) ?? []
        return descriptors.count { descriptor in
            let target = try? files.destinationOfSymbolicLink(atPath: directory + descriptor)
            return target?.hasPrefix("pipe:") == true
        }
    }

    /// Allows no descriptor from this one on, and returns what was allowed before.
    @discardableResult private static func limit(to descriptors: rlim_t) -> rlim_t {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        let before = limit.rlim_cur
        limit.rlim_cur = descriptors
        setrlimit(resource, &limit)
        return before
    }

    @Test func `a program that is not there leaves no descriptor open`() async {
        await #expect(processExitsWith: .success) {
            let before = SpawnTests.pipeEnds()
            #expect(throws: LeashedProcess.Failure.self) {
                _ = try Spawn.start(["/nonexistent/program"], environment: [:])
            }
            #expect(SpawnTests.pipeEnds() == before)
        }
    }

    @Test func `a second pipe for which there is no descriptor leaves none of the first open`() async {
        await #expect(processExitsWith: .success) {
            let before = SpawnTests.pipeEnds()
            let usual = SpawnTests.limit(to: rlim_t(SpawnTests.next(3)[2]) + 1)
            let failure = #expect(throws: LeashedProcess.Failure.self) {
                _ = try Spawn.start(["/bin/sh", "-c", "exit 0"], environment: [:])
            }
            SpawnTests.limit(to: usual)
            #expect(failure?.description == "no pipe: errno \(EMFILE)")
            #expect(SpawnTests.pipeEnds() == before)
        }
    }
}
