package import CaptureModel
package import CaptureSettings
import FaultPoints
import FoundationEssentials
import Glibc
package import Logging
import Observability
package import ServiceLifecycle
import StandardStreams
import Tracing
import UnixSignals
import Waiting

/// What the two server programs have in common: options, settings, logging, signals and exit codes.
package enum Program {
    /// Runs a program to its end and exits with a code that tells how it went.
    ///
    /// 0 after a clean stop, 64 for bad usage or settings, 1 for a fault, 74 when its answer could not be written, 141
    /// when the answer's reader is gone, 75 when it did not stop in its time.
    /// - Parameters:
    ///   - name: Which of the two it is, as its messages name it.
    ///   - purpose: What it does, for `--help`.
    ///   - services: Makes its services without asking any server; they are stopped in the opposite order.
    package static func run(
        _ name: ProgramName, purpose: String,
        services: (Settings, Logger) async throws -> [any Service]
    ) async -> Never {
        // A peer that closes its socket must not end the process.
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains(where: { ["--help", "-h"].contains($0) }) {
            answer(Help.text(program: name, purpose: purpose), as: name)
        }
        if arguments.contains("--version") { answer("\(name) \(ProcessorVersion.current)", as: name) }
        let settings: Settings
        do throws(SettingsError) {
            settings = try await Settings(
                arguments: arguments.filter { $0 != "--print-settings" },
                environment: ProcessInfo.processInfo.environment, program: name
            )
        } catch {
            refuse("\(name): \(error)")
        }
        if arguments.contains("--print-settings") { await show(settings, of: name, services: services) }
        let logger = settings.bootstrapLogging(program: name)
        logger.info("\(settings.origin)")
        for file in settings.exposedKeyFiles(of: name) {
            logger.warning(
                "a file with a key is open to every user of this machine",
                metadata: ["setting": "\(file.setting)", "problem": "\(file.problem)"])
        }
        InstrumentationSystem.bootstrap(LogTracer(logger: logger, random: RandomBits.system))
        if let faults = settings.faults.summary {
            logger.critical("FAULTS ARE ARMED: this is a test run", metadata: ["faults": "\(faults)"])
        }
        do {
            try DescriptorLimit.require()
            let group = ServiceGroup(
                configuration: configuration(
                    of: name, try await services(settings, logger), settings: settings, logger: logger)
            )
            try await withTaskExecutorPreference(EventLoopExecutor.shared) { try await group.run() }
            exit(0)
        } catch let error as SettingsError {
            refuse("\(name): \(error)")
        } catch {
            logger.critical("stopped by a fault", metadata: ["fault": "\(error)"])
            exit(1)
        }
    }

    /// Exits with the settings in force, or with the reason why a start would refuse them.
    ///
    /// The services are made as for a start, so that the same errors appear, but not run.
    private static func show(
        _ settings: Settings, of name: ProgramName,
        services: (Settings, Logger) async throws -> [any Service]
    ) async -> Never {
        let made: [any Service]
        do {
            let silent = Logger(label: name.rawValue, factory: { _ in SwiftLogNoOpLogHandler() })
            try DescriptorLimit.require()
            made = try await services(settings, silent)
        } catch let error as SettingsError {
            refuse("\(name): \(error)")
        } catch {
            StandardStreams.note("\(name): stopped by a fault: \(error)\n")
            exit(1)
        }
        // Not on standard output: other programs read the settings there.
        StandardStreams.note("\(name): \(settings.origin)\n")
        for file in settings.exposedKeyFiles(of: name) { StandardStreams.note("\(name): \(file)\n") }
        let width = settings.table.map(\.key.count).max() ?? 0
        let lines = settings.table.map { "\($0.key.padding(toLength: width + 2))\($0.value)" }
        // A client of Apple's that was never run must not be released before the process ends.
        withExtendedLifetime(made) { answer(lines.joined(separator: "\n"), as: name) }
    }

    private static func configuration(
        of name: ProgramName, _ services: [any Service], settings: Settings, logger: Logger
    ) -> ServiceGroupConfiguration {
        var configuration = ServiceGroupConfiguration(
            services: (services + [StopLimit(limit: settings.stopLimit, program: name, logger: logger)]).map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    // Captures that were claimed from another installation's queue must not be finished.
                    failureTerminationBehavior: $0 is StartupCheck ? .cancelGroup : .gracefullyShutdownGroup
                )
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        )
        configuration.maximumGracefulShutdownDuration = settings.stopLimit
        return configuration
    }

    /// Writes the answer to standard output and exits.
    private static func answer(_ text: String, as name: ProgramName) -> Never {
        guard let fault = StandardStreams.answer(text + "\n") else { exit(0) }
        // The code that SIGPIPE, which is ignored, would give: the reader has what it wanted.
        if fault == EPIPE { exit(141) }
        let words = String(cString: strerror(fault))
        StandardStreams.note("\(name): standard output takes nothing more: \(words)\n")
        exit(74)
    }

    /// Exits because of wrong settings or a wrong command line.
    private static func refuse(_ text: String) -> Never {
        StandardStreams.note(text + "\n")
        exit(64)
    }
}

extension String {
    fileprivate func padding(toLength length: Int) -> String {
        count >= length ? self : self + String(repeating: " ", count: length - count)
    }
}
