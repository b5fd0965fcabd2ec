import Observability
import ProcessHealth

extension Vitals {
    /// The vitals of a gateway, whose log of outages hears what each probe finds.
    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        let outages = dependencies.outages
        self.init(
            registry: dependencies.metrics, queue: dependencies.queue, store: dependencies.store,
            bundles: BundleProbe(outage: outages.bundles, check: dependencies.checkBundles),
            timeout: configuration.readinessTimeout, gauges: dependencies.gauges
        ) { server, found in
            switch found {
            case .answers: outages.probed(server)
            case .refuses(let why): outages.note(server, why, isRefusal: true)
            case .isDamaged(let why): outages.probed(server, damage: why)
            // Often the only line about an outage: whoever probes asks more often than anybody else.
            case .isAway(let why): outages.note(server, why)
            }
        }
    }
}
