extension Setting {
    /// Every setting there is, in the order of the documentation.
    package static let all: [Setting] = [
        servers, trust, rollout, captures, queue, bundles, intake, worker, apple, gateway, programs, enrolment,
    ].flatMap { $0 }
}
