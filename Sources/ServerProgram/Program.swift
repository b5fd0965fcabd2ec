package import CaptureModel
package import CaptureSettings
import FaultPoints
import FoundationEssentials
package import Logging
import Observability
package import ServiceLifecycle
import Tracing
import UnixSignals

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the two server programs have in common: options, settings, logging, signals and exit codes.
package enum Program {
    /// Runs a program to its end and exits: 0 after a clean stop, 64 for bad usage or settings, 1 for a fault, 74 where
    /// what it was asked to tell could not be written, 75 when it did not stop in its time.
    /// - Parameters:
    ///   - name: Its name.
    ///   - purpose: What it does, for `--help`.
    ///   - services: Makes its services, and asks no server for that; they are stopped in the opposite order.
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
            try settings.requireKeyForRisk()
        } catch {
            refuse("\(name): \(error)")
        }
        if arguments.contains("--print-settings") { await show(settings, of: name, services: services) }
        let logger = settings.bootstrapLogging(program: name)
        logger.info("\(settings.origin)")
        InstrumentationSystem.bootstrap(LogTracer(logger: logger) { .random(in: .min ... .max) })
        if let faults = settings.faults.summary {
            logger.critical("FAULTS ARE ARMED: this is a test run", metadata: ["faults": "\(faults)"])
        }
        do {
            let group = ServiceGroup(
                configuration: configuration(try await services(settings, logger), settings: settings, logger: logger)
            )
            try await group.run()
            exit(0)
        } catch let error as SettingsError {
            refuse("\(name): \(error)")
        } catch {
            logger.critical("stopped by a fault", metadata: ["fault": "\(error)"])
            exit(1)
        }
    }

    /// Ends with the settings in force, or with what a start would refuse them for.
    ///
    /// The program is put together as for a start, so that it says just the same, and is not run.
    private static func show(
        _ settings: Settings, of name: ProgramName,
        services: (Settings, Logger) async throws -> [any Service]
    ) async -> Never {
        let made: [any Service]
        do {
            let silent = Logger(label: name.rawValue, factory: { _ in SwiftLogNoOpLogHandler() })
            made = try await services(settings, silent)
        } catch let error as SettingsError {
            refuse("\(name): \(error)")
        } catch {
            StandardError.note("\(name): stopped by a fault: \(error)")
            exit(1)
        }
        // Not among the settings, which others read.
        StandardError.note("\(name): \(settings.origin)")
        let width = settings.table.map(\.key.count).max() ?? 0
        let lines = settings.table.map { "\($0.key.padding(toLength: width + 2))\($0.value)" }
        // A client of Apple's that was never run must not be given up before its process is.
        withExtendedLifetime(made) { answer(lines.joined(separator: "\n"), as: name) }
    }

    private static func configuration(
        _ services: [any Service], settings: Settings, logger: Logger
    ) -> ServiceGroupConfiguration {
        var configuration = ServiceGroupConfiguration(
            services: (services + [StopLimit(limit: settings.stopLimit, logger: logger)]).map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    // What was claimed from another installation's queue is not to be finished.
                    failureTerminationBehavior: $0 is StartupCheck ? .cancelGroup : .gracefullyShutdownGroup
                )
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        )
        configuration.maximumGracefulShutdownDuration = settings.stopLimit
        return configuration
    }

    /// Ends with what was asked for on standard output.
    private static func answer(_ text: String, as name: ProgramName) -> Never {
        guard let fault = StandardOutput.answer(text) else { exit(0) }
        // As SIGPIPE would have it, which is ignored: the reader has what it wanted.
        if fault == EPIPE { exit(141) }
        StandardError.note("\(name): standard output takes nothing more: \(String(cString: strerror(fault)))")
        exit(74)
    }

    /// Ends for what is wrong with settings or command line.
    private static func refuse(_ text: String) -> Never {
        StandardError.note(text)
        exit(64)
    }
}

extension String {
    fileprivate func padding(toLength length: Int) -> String {
        count >= length ? self : self + String(repeating: " ", count: length - count)
    }
}
