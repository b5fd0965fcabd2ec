// swift-tools-version: 6.2
import PackageDescription

/// One set of compiler settings for every Swift target of the project.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    // SE-0335: an existential is written `any P`.
    .enableUpcomingFeature("ExistentialAny"),
    // SE-0409: an import is internal unless it says otherwise.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // SE-0444: a member is visible only where its module is imported.
    .enableUpcomingFeature("MemberImportVisibility"),
    // SE-0461: a nonisolated async function runs where its caller runs.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // SE-0470: a conformance of an isolated type is isolated with it.
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// For the targets that touch C pointers or read untrusted bytes: SE-0458 marks every unsafe use in the source.
let strictMemory: [SwiftSetting] = strict + [.strictMemorySafety()]

let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let certificates = Target.Dependency.product(name: "X509", package: "swift-certificates")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")

/// What the programs need, and `AppleDeviceCheck`: whoever builds on the other libraries leaves the trait out, and
/// fetches three packages instead of all.
let programsTrait = "Programs"

func programs(_ name: String, of package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [programsTrait]))
}

let argumentParser = programs("ArgumentParser", of: "swift-argument-parser")
let asyncHTTPClient = programs("AsyncHTTPClient", of: "async-http-client")
let collections = programs("DequeModule", of: "swift-collections")
let configuration = programs("Configuration", of: "swift-configuration")
let httpTypes = programs("HTTPTypes", of: "swift-http-types")
let hummingbird = programs("Hummingbird", of: "hummingbird")
let hummingbirdCore = programs("HummingbirdCore", of: "hummingbird")
let lifecycle = programs("ServiceLifecycle", of: "swift-service-lifecycle")
let logging = programs("Logging", of: "swift-log")
let metrics = programs("Metrics", of: "swift-metrics")
let metricsCore = programs("CoreMetrics", of: "swift-metrics")
let nioCore = programs("NIOCore", of: "swift-nio")
let nioEmbedded = programs("NIOEmbedded", of: "swift-nio")
let nioHTTP1 = programs("NIOHTTP1", of: "swift-nio")
let nioPosix = programs("NIOPosix", of: "swift-nio")
let nioSSL = programs("NIOSSL", of: "swift-nio-ssl")
let systemPackage = programs("SystemPackage", of: "swift-system")
let tracing = programs("Tracing", of: "swift-distributed-tracing")
let unixSignals = programs("UnixSignals", of: "swift-service-lifecycle")
let yams = programs("Yams", of: "Yams")

let package = Package(
    name: "capture-processor",
    // For the libraries. They are built and tested on Linux, and nobody has compiled them on macOS; the programs run on
    // Linux alone.
    platforms: [.macOS(.v15)],
    // What these libraries show is `public`; all other modules show what they share as `package`.
    products: [
        .library(name: "AppAttest", targets: ["AppAttest"]),
        .library(name: "AppleDeviceCheck", targets: ["AppleDeviceCheck"]),
        .library(name: "CBOR", targets: ["CBOR"]),
        // What AppAttest, AppleDeviceCheck and Evidence show of it.
        .library(name: "CaptureModel", targets: ["CaptureModel"]),
        .library(name: "Evidence", targets: ["Evidence"]),
        .executable(name: "capture-gateway", targets: ["capture-gateway"]),
        .executable(name: "capture-worker", targets: ["capture-worker"]),
        .executable(name: "capturectl", targets: ["capturectl"]),
    ],
    traits: [
        .default(enabledTraits: [programsTrait]),
        .trait(name: programsTrait, description: "The programs and AppleDeviceCheck, with the packages they need"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0",
            traits: ["YAML"]
        ),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // MARK: System libraries, imported by their one wrapper target only.
        // No pkgConfig: Debian's hiredis.pc carries a flag that SwiftPM warns about on every build.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // MARK: Pure: no server, no files.
        .target(name: "CBOR", swiftSettings: strictMemory),
        .target(name: "Multipart", swiftSettings: strictMemory),
        .target(name: "PercentEncoding", swiftSettings: strictMemory),
        .target(name: "StrictJSON", swiftSettings: strictMemory),
        .target(name: "CaptureModel", dependencies: [crypto], swiftSettings: strict),
        .target(name: "HTML", dependencies: ["CaptureModel"], swiftSettings: strict),
        .target(name: "CProcessor", cSettings: [.treatAllWarnings(as: .error)]),
        // The vector instructions of each kernel are asked for by its own attribute: no flag, and no other processor's
        // code.
        .target(
            name: "CMultiBufferSHA256", dependencies: ["CProcessor"], cSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CMultiBufferP256", dependencies: ["CProcessor"], cSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "MultiBufferP256", dependencies: ["CMultiBufferP256", "CProcessor", crypto],
            swiftSettings: strictMemory
        ),
        .target(
            name: "MultiBufferSHA256",
            dependencies: ["CLibCrypto", "CMultiBufferSHA256", "CProcessor", "CaptureModel", nioCore],
            swiftSettings: strictMemory
        ),
        .target(
            name: "AppAttest",
            dependencies: ["CBOR", "CaptureModel", "MultiBufferP256", asn1, certificates, crypto],
            swiftSettings: strict
        ),
        .target(name: "Enrolment", dependencies: ["CaptureModel", crypto], swiftSettings: strict),
        .target(
            name: "CaptureInspection", dependencies: ["CaptureModel", "CZlib", "StrictJSON"],
            swiftSettings: strictMemory
        ),
        .target(
            name: "Evidence",
            dependencies: ["AppAttest", "CaptureInspection", "CaptureModel", "StrictJSON", crypto],
            swiftSettings: strict
        ),

        // MARK: Small tools: time, addresses, descriptors, how a program ends.
        .target(name: "Bisection", swiftSettings: strict),
        .target(
            name: "ConnectionFault", dependencies: [nioCore, nioPosix, nioSSL, systemPackage], swiftSettings: strict),
        .target(name: "HostNames", swiftSettings: strictMemory),
        .target(name: "StandardStreams", swiftSettings: strict),
        .target(
            name: "Waiting", dependencies: [collections, lifecycle, nioCore, nioPosix], swiftSettings: strictMemory),
        .target(name: "FaultPoints", dependencies: ["CaptureModel"], swiftSettings: strict),

        // MARK: Seams and servers.
        .target(
            name: "Observability", dependencies: ["CaptureModel", logging, metrics, metricsCore, tracing],
            swiftSettings: strict),
        .target(
            name: "BoundedHTTP", dependencies: [hummingbirdCore, logging, nioCore, nioHTTP1], swiftSettings: strict),
        .target(name: "CaptureQueue", dependencies: ["CaptureModel", nioCore], swiftSettings: strict),
        .target(
            name: "RedisClient",
            dependencies: [
                "CHiredis", "ConnectionFault", "HostNames", "PercentEncoding", "Waiting", collections, lifecycle,
                logging, nioCore, nioPosix, nioSSL, systemPackage,
            ],
            swiftSettings: strictMemory
        ),
        .target(
            name: "PostgresClient",
            dependencies: ["CLibPQ", "HostNames", "Waiting", lifecycle, logging],
            swiftSettings: strictMemory
        ),
        .target(
            name: "RedisCaptureQueue",
            dependencies: [
                "CaptureModel", "CaptureQueue", "FaultPoints", "Observability", "RedisClient", "Waiting", lifecycle,
                logging, nioCore, nioPosix,
            ],
            resources: [.embedInCode("Functions")],
            swiftSettings: strict
        ),
        .target(
            name: "FilesystemBundleStore", dependencies: ["CaptureModel", "CaptureQueue", nioCore, nioPosix],
            swiftSettings: strictMemory
        ),
        .target(name: "CaptureStore", dependencies: ["CaptureModel", "Enrolment"], swiftSettings: strict),
        .target(
            name: "PostgresCaptureStore",
            dependencies: ["CaptureModel", "CaptureStore", "Enrolment", "PostgresClient"],
            resources: [.embedInCode("Migrations")],
            swiftSettings: strict
        ),
        .target(
            name: "CaptureOperations",
            dependencies: ["CaptureModel", "CaptureQueue", "CaptureStore", "Evidence"],
            swiftSettings: strict
        ),
        .target(
            name: "AppleDeviceCheck",
            dependencies: [
                "CaptureModel", "ConnectionFault", "Waiting", asyncHTTPClient, crypto, lifecycle, nioCore, nioHTTP1,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Rollout",
            dependencies: [
                "AppAttest", "CaptureModel", "Observability", "Waiting", lifecycle, logging, nioPosix, yams,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CaptureProcessing",
            dependencies: [
                "AppAttest", "AppleDeviceCheck", "Bisection", "CaptureInspection", "CaptureModel", "CaptureQueue",
                "CaptureStore", "FaultPoints", "MultiBufferP256", "MultiBufferSHA256", "Observability", "Rollout",
                "Waiting", lifecycle, logging, nioCore, tracing,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "IntakeJournal",
            dependencies: ["Bisection", "CaptureModel", "CaptureStore", "Observability", "Waiting", lifecycle],
            swiftSettings: strict
        ),
        .target(
            name: "ProcessHealth",
            dependencies: [
                "BoundedHTTP", "CaptureModel", "CaptureQueue", "CaptureStore", "Observability", "Waiting", httpTypes,
                hummingbird, hummingbirdCore, lifecycle, logging, nioCore,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CaptureGateway",
            dependencies: [
                "AppAttest", "AppleDeviceCheck", "Bisection", "BoundedHTTP", "CaptureInspection", "CaptureModel",
                "CaptureOperations", "CaptureQueue", "CaptureStore", "Enrolment", "Evidence", "FaultPoints", "HTML",
                "IntakeJournal", "Multipart", "Observability", "PercentEncoding", "ProcessHealth", "Rollout",
                "StrictJSON", "Waiting", crypto, httpTypes, hummingbird, hummingbirdCore, lifecycle, logging, nioCore,
                nioHTTP1, tracing,
            ],
            resources: [.embedInCode("Dashboard/Static")],
            swiftSettings: strict
        ),
        .target(
            name: "DeviceSimulator",
            dependencies: ["CBOR", "CaptureModel", "Enrolment", asn1, certificates, crypto],
            swiftSettings: strict
        ),
        // What Apple's servers answer, for tests and for `make run`.
        .target(
            name: "AppleStandIn",
            dependencies: ["CaptureModel", "DeviceSimulator", crypto, hummingbird, logging, nioCore],
            swiftSettings: strict
        ),
        .target(
            name: "CaptureCrowd",
            dependencies: ["AppAttest", "CaptureModel", "CaptureQueue", "CaptureStore", "DeviceSimulator", nioCore],
            swiftSettings: strict
        ),
        // Servers of a process's own, for benchmarks and tests.
        .target(name: "PrivateServers", swiftSettings: strict),
        .target(
            name: "GatewayClient",
            dependencies: [
                "CaptureModel", "ConnectionFault", "Waiting", asyncHTTPClient, nioCore, nioHTTP1,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CaptureSettings",
            dependencies: [
                "AppAttest", "AppleDeviceCheck", "CaptureInspection", "CaptureModel", "CaptureQueue", "Enrolment",
                "FaultPoints", "FilesystemBundleStore", "Observability", "PostgresClient", "RedisCaptureQueue",
                "RedisClient", "Rollout", configuration, logging, nioSSL, systemPackage, yams,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "GatewaySettings", dependencies: ["CaptureGateway", "CaptureModel", "CaptureSettings"],
            swiftSettings: strict
        ),
        .target(
            name: "WorkerSettings",
            dependencies: [
                "AppAttest", "CaptureModel", "CaptureProcessing", "CaptureSettings", "MultiBufferSHA256", "Waiting",
            ],
            swiftSettings: strict
        ),
        // What the two server programs have in common.
        .target(
            name: "ServerProgram",
            dependencies: [
                "CMalloc", "CaptureModel", "CaptureQueue", "CaptureSettings", "CaptureStore", "ConnectionFault",
                "FaultPoints", "FilesystemBundleStore", "Observability", "PostgresCaptureStore", "PostgresClient",
                "RedisCaptureQueue", "RedisClient", "StandardStreams", "Waiting", lifecycle, logging, tracing,
                unixSignals,
            ],
            swiftSettings: strict
        ),

        // MARK: Programs.
        .executableTarget(
            name: "capture-gateway",
            dependencies: [
                "AppleDeviceCheck", "BoundedHTTP", "CaptureGateway", "CaptureModel", "CaptureOperations",
                "CaptureQueue", "CaptureSettings", "FilesystemBundleStore", "GatewaySettings",
                "Observability", "PostgresCaptureStore", "PostgresClient", "RedisCaptureQueue", "RedisClient",
                "Rollout", "ServerProgram", "Waiting", lifecycle, logging, nioPosix,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "capture-worker",
            dependencies: [
                "AppleDeviceCheck", "CaptureModel", "CaptureProcessing", "CaptureQueue", "CaptureSettings",
                "CaptureStore", "FilesystemBundleStore", "Observability", "PostgresCaptureStore", "PostgresClient",
                "ProcessHealth", "RedisCaptureQueue", "RedisClient", "Rollout", "ServerProgram", "Waiting",
                "WorkerSettings", lifecycle, logging, nioPosix,
            ],
            path: "Workers/capture-worker",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "capturectl",
            dependencies: [
                "AppAttest", "AppleStandIn", "CaptureCrowd", "CaptureModel", "CaptureOperations", "CaptureProcessing",
                "CaptureQueue", "CaptureSettings", "CaptureStore", "DeviceSimulator", "Enrolment", "Evidence",
                "FilesystemBundleStore", "GatewayClient", "IntakeJournal", "MultiBufferP256", "MultiBufferSHA256",
                "PostgresCaptureStore", "PostgresClient", "PrivateServers", "RedisCaptureQueue", "RedisClient",
                "StandardStreams", "StrictJSON", "Waiting", "WorkerSettings", argumentParser,
                asyncHTTPClient, crypto, hummingbird, lifecycle, logging, nioCore, nioPosix, systemPackage,
            ],
            swiftSettings: strict
        ),

        // MARK: Tests, by what they need.
        .target(
            name: "TestSupport",
            dependencies: [
                "AppAttest", "AppleStandIn", "CaptureCrowd", "CaptureModel", "CaptureProcessing", "CaptureQueue",
                "CaptureStore", "DeviceSimulator", "GatewayClient", "PrivateServers", "Waiting", lifecycle, logging,
                nioCore,
            ],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .target(
            name: "ChaosKit",
            dependencies: [
                "CaptureModel", "CaptureProcessing", "CaptureQueue", "DeviceSimulator", "FilesystemBundleStore",
                "GatewayClient", "PostgresCaptureStore", "PostgresClient", "RedisCaptureQueue", "RedisClient",
                "TestSupport", asyncHTTPClient, logging, nioCore, nioPosix,
            ],
            path: "Tests/ChaosKit",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "capture-chaos",
            dependencies: ["ChaosKit", argumentParser],
            path: "Tests/capture-chaos",
            swiftSettings: strict
        ),
        // What hostile bytes can reach, one function each: `make fuzz` feeds them, PureTests replays Tests/Corpora.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "AppAttest", "CBOR", "CaptureGateway", "CaptureInspection", "CaptureModel", "CaptureQueue", "Enrolment",
                "Evidence", "Multipart", "RedisCaptureQueue", "RedisClient", asn1, certificates, crypto, httpTypes,
                nioCore,
            ],
            path: "Tests/FuzzTargets",
            swiftSettings: strict
        ),
        .target(
            name: "ReferenceP256", dependencies: ["CLibCrypto", "CMultiBufferP256"], path: "Tests/ReferenceP256",
            cSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "PureTests",
            dependencies: [
                "AppAttest", "AppleDeviceCheck", "AppleStandIn", "Bisection", "BoundedHTTP", "CBOR", "CMultiBufferP256",
                "CMultiBufferSHA256", "CProcessor", "CaptureGateway", "CaptureInspection", "CaptureModel",
                "CaptureOperations", "CaptureProcessing", "CaptureQueue", "CaptureSettings", "CaptureStore", "ChaosKit",
                "ConnectionFault", "DeviceSimulator", "Enrolment", "Evidence", "FaultPoints", "FilesystemBundleStore",
                "FuzzTargets", "GatewayClient", "GatewaySettings", "HTML", "HostNames", "IntakeJournal",
                "MultiBufferP256", "MultiBufferSHA256", "Multipart", "Observability", "PercentEncoding",
                "PostgresCaptureStore", "PostgresClient", "PrivateServers", "ProcessHealth", "RedisCaptureQueue",
                "RedisClient", "ReferenceP256", "Rollout", "ServerProgram", "StandardStreams", "StrictJSON",
                "TestSupport", "Waiting", "WorkerSettings", "capturectl", argumentParser, asn1, asyncHTTPClient,
                certificates, crypto, httpTypes, hummingbird, lifecycle, logging, metricsCore, nioCore, nioEmbedded,
                nioHTTP1, nioPosix, tracing,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "AppAttest", "AppleDeviceCheck", "AppleStandIn", "CaptureGateway", "CaptureInspection", "CaptureModel",
                "CaptureOperations", "CaptureProcessing", "CaptureQueue", "CaptureSettings", "CaptureStore", "ChaosKit",
                "DeviceSimulator", "Enrolment", "Evidence", "FilesystemBundleStore", "HostNames", "IntakeJournal",
                "Observability", "PostgresCaptureStore", "PostgresClient", "RedisCaptureQueue", "RedisClient",
                "ServerProgram", "TestSupport", "Waiting", crypto, lifecycle, logging, metricsCore, nioCore, nioPosix,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "AppleStandIn", "CaptureModel", "CaptureQueue", "CaptureStore", "ChaosKit", "DeviceSimulator",
                "FaultPoints", "GatewayClient", "Observability", "PostgresCaptureStore", "PostgresClient",
                "RedisCaptureQueue", "RedisClient", "TestSupport", asyncHTTPClient, crypto, logging, nioCore, nioHTTP1,
                nioPosix,
            ],
            swiftSettings: strict
        ),
    ]
)

// For `make fuzz` alone: coverage and AddressSanitizer in our own targets, and the program that feeds them.
if Context.environment["CAPTURE_FUZZING"] == "1" {
    let instrumentation = ["-sanitize=fuzzer,address"]
    for target in package.targets where target.type == .regular {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(instrumentation)]
    }
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
        .executableTarget(
            name: "capture-fuzz",
            dependencies: ["CLibFuzzer", "FuzzTargets"],
            path: "Tests/Fuzzing/capture-fuzz",
            swiftSettings: strictMemory + [.unsafeFlags(instrumentation + ["-parse-as-library"])],
            // gold, the toolchain's own linker, warns about every symbol of AddressSanitizer.
            linkerSettings: [.unsafeFlags(instrumentation + ["-use-ld=lld"])]
        ),
    ]
}
