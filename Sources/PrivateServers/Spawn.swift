import Foundation
import Synchronization

/// Starts child processes with a clean signal mask.
///
/// Foundation's `Process` passes on a mask that blocks SIGCHLD, with which a shell's `wait` never returns. It also
/// detects a child's end by a descriptor that other children may inherit, and then it never does.
enum Spawn {
    struct Child: Sendable {
        let processID: pid_t
        /// The writing end of its standard input.
        let input: Int32
        /// The reading end of its standard output and error.
        let output: Int32
    }

    /// No other child may be started between making a pipe and marking it: it would inherit the ends.
    private static let oneAtATime = Mutex(())

    static func start(_ command: [String], environment: [String: String]) throws -> Child {
        try oneAtATime.withLock { _ in try startAlone(command, environment: environment) }
    }

    private static func startAlone(_ command: [String], environment: [String: String]) throws -> Child {
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        // Close-on-exec: another child that inherited a leash's writing end would keep this one alive.
        guard pipe(&input) == 0, pipe(&output) == 0 else {
            let code = errno
            for descriptor in input where descriptor >= 0 { close(descriptor) }
            throw LeashedProcess.Failure(description: "no pipe: errno \(code)")
        }
        for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input[0], 0)
        posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        posix_spawn_file_actions_adddup2(&actions, output[1], 2)
        // A connection that this process closes would stay open as long as a child has it. Closing a descriptor that is
        // not open does no harm, and a run uses fewer than 1,024.
        for descriptor in Int32(3)..<1024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)
        )
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, command[0], &actions, &attributes, &arguments, &variables)
        close(input[0])
        close(output[1])
        guard code == 0 else {
            close(input[1])
            close(output[0])
            throw LeashedProcess.Failure(description: "\(command): errno \(code)")
        }
        return Child(processID: processID, input: input[1], output: output[0])
    }

    /// Waits for a child; returns its exit code, or 128 plus the signal that ended it.
    static func reap(_ processID: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
