import PrivateServers

/// Worker processes of a benchmark.
struct BenchWorkers: Sendable {
    private let processes: [LeashedProcess]

    /// Starts them, and returns when they are ready to work.
    static func start(_ count: Int, on stage: BenchStage) async throws -> BenchWorkers {
        var processes: [LeashedProcess] = []
        for _ in 0..<count {
            processes.append(
                try LeashedProcess(
                    Programs.path("capture-worker"), BenchStage.programArguments, environment: stage.environment))
        }
        for process in processes {
            try await process.line(containing: "worker is ready", within: BenchStage.startLimit)
        }
        return BenchWorkers(processes: processes)
    }

    /// Their total use so far; the peak is the largest of theirs.
    func figures() throws -> ProcessFigures {
        try ProcessFigures.sum(
            processes.map { process in
                guard let figures = process.figures() else {
                    throw LeashedProcess.Failure(description: "a worker has ended:\n\(process.output.suffix(2000))")
                }
                return figures
            })
    }

    /// Ends them in good order.
    func stop() async throws {
        for process in processes { process.signal(15) }
        for process in processes {
            let code = try await process.exitCode()
            guard code == 0 else {
                throw LeashedProcess.Failure(
                    description: "a worker ended with \(code):\n\(process.output.suffix(2000))")
            }
        }
    }
}
