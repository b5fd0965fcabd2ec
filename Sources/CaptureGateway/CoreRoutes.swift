import Hummingbird
import ProcessHealth

/// The routes of devices and of operating a gateway.
enum CoreRoutes {
    /// Adds them to a router that has its middleware already.
    static func add(
        to router: Router<GatewayContext>, configuration: GatewayConfiguration, dependencies: GatewayDependencies,
        access: AccessControl, bodies: RequestBodies, vitals: Vitals
    ) throws {
        let challenge = ChallengeRoute(configuration: configuration, dependencies: dependencies)
        router.route(.issueChallenge) { try await challenge.handle($0, $1) }
        // One for all: it keeps the verifiers.
        let registrar = Registrar(configuration: configuration, dependencies: dependencies)
        let registration = RegistrationRoute(bodies: bodies, dependencies: dependencies, registrar: registrar)
        router.route(.registerDevice) { try await registration.handle($0, $1) }
        let deviceCheck = DeviceCheckRoute(
            configuration: configuration, dependencies: dependencies, registrar: registrar, bodies: bodies)
        router.route(.registerCheckedDevice) { try await deviceCheck.handle($0, $1) }
        let reattestation = ReattestationRoute(
            configuration: configuration, dependencies: dependencies, registrar: registrar, bodies: bodies)
        router.route(.reattestDevice) { try await reattestation.handle($0, $1) }
        let enrolment = EnrolmentRoutes(
            configuration: configuration, dependencies: dependencies, registrar: registrar, bodies: bodies)
        router.route(.startEnrolment) { try await enrolment.start($0, $1) }
        router.route(.attestEnrolment) { try await enrolment.attest($0, $1) }
        router.route(.setEnrolmentPassword) { try await enrolment.setPassword($0, $1) }
        router.route(.finalizeEnrolment) { try await enrolment.finalize($0, $1) }
        let devices = DeviceRoutes(dependencies: dependencies, access: access, bodies: bodies)
        router.route(.listDevices) { try await devices.list($0, $1) }
        router.route(.showDevice) { try await devices.show($0, $1) }
        router.route(.revokeDevice) { try await devices.revoke($0, $1) }
        router.route(.affectedResults) { try await devices.affected($0, $1) }
        let queue = QueueRoute(access: access, dependencies: dependencies)
        router.route(.queueLoad) { try await queue.handle($0, $1) }
        let rollout = RolloutRoute(access: access, dependencies: dependencies)
        router.route(.rollout) { try await rollout.handle($0, $1) }
        let health = HealthRoutes(vitals: vitals, hasStarted: dependencies.hasStarted, now: dependencies.now)
        router.route(.liveness) { try await health.live($0, $1) }
        router.route(.readiness) { try await health.ready($0, $1) }
        let metrics = MetricsRoute(vitals: vitals)
        router.route(.metrics) { try await metrics.handle($0, $1) }
        let description = try OpenAPIRoute(configuration: configuration)
        router.route(.description) { try await description.handle($0, $1) }
    }
}
