import CaptureModel
import Crypto
import DeviceSimulator
import Enrolment
import Testing

@Suite struct `The channel to a transaction key` {
    private static let session = EnrolmentID("6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d")
    private static let keyID = TransactionKeyID("0b9d2a6e-51c4-4f7b-8e0d-3a2f1c4b5d6e")
    private static let nonce = [UInt8](0..<12)
    private static let hash = Array(EnrollingDevice.passwordHash.utf8)

    private let device: Curve25519.KeyAgreement.PrivateKey
    private let transaction: Curve25519.KeyAgreement.PrivateKey

    init() throws {
        device = try .init(rawRepresentation: [UInt8](0..<32))
        transaction = try .init(rawRepresentation: [UInt8](32..<64))
    }

    private func bytes(_ key: Curve25519.KeyAgreement.PrivateKey) -> [UInt8] { Array(key.publicKey.rawRepresentation) }

    private func atDevice(_ purpose: TransactionChannel.Purpose) throws -> TransactionChannel {
        try TransactionChannel(
            purpose, session: #require(Self.session), keyID: #require(Self.keyID), device: device,
            transactionKey: bytes(transaction))
    }

    private func atSystem(_ purpose: TransactionChannel.Purpose) throws -> TransactionChannel {
        try TransactionChannel(
            purpose, session: #require(Self.session), keyID: #require(Self.keyID), transactionKey: transaction,
            device: bytes(device))
    }

    /// The figures are those of the Python example in Enrolment.md, computed with another library.
    @Test func `the channel to a transaction key has the documented vectors`() throws {
        #expect(Hex.encode(bytes(device)) == "8f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285f")
        #expect(Hex.encode(bytes(transaction)) == "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254")
        let password = try atDevice(.password).seal(Self.hash, nonce: Self.nonce)
        #expect(
            Hex.encode(password)
                == "ef4b236cbf27527c4fb7ac938f6188de78a90f53dd54598219a264bc2af3c7ff7d53cb73565589d5861acbb3e75545c6"
                + "a898f84d13be115047908c4fb4a618cacedfdd6c4a1c5e055ddcac3129fa0dce78f62c3ce829f9189003f749be4e2136"
                + "57031f59959b0b5b321648f74c8052466a")
        #expect(try atSystem(.password).open(password, nonce: Self.nonce) == Self.hash)
        let credential = try atSystem(.credential).seal([UInt8](64..<96), nonce: Self.nonce)
        #expect(
            Hex.encode(credential)
                == "9a755637d6791be7ca81bb9c01a16c807343e701310f3151e9a5edb75666a2c84a77bbd5e63f8b992b5e613668d66262")
        #expect(try atDevice(.credential).open(credential, nonce: Self.nonce) == [UInt8](64..<96))
    }

    @Test func `the channel to a transaction key opens nothing that was changed, cut, or meant for something else`()
        throws
    {
        let sealed = try atDevice(.password).seal(Self.hash, nonce: Self.nonce)
        let channel = try atSystem(.password)
        for index in sealed.indices {
            var other = sealed
            other[index] ^= 1
            #expect(throws: TransactionChannel.Fault.seal) { try channel.open(other, nonce: Self.nonce) }
        }
        for count in 0..<sealed.count {
            #expect(throws: TransactionChannel.Fault.seal) {
                try channel.open(Array(sealed.prefix(count)), nonce: Self.nonce)
            }
        }
        #expect(throws: TransactionChannel.Fault.seal) { try channel.open(sealed, nonce: [UInt8](1..<13)) }
        #expect(throws: TransactionChannel.Fault.seal) { try atSystem(.credential).open(sealed, nonce: Self.nonce) }
        var generator = SystemRandomNumberGenerator()
        let (session, keyID) = (try #require(Self.session), try #require(Self.keyID))
        let others = [
            try TransactionChannel(
                .password, session: .make(using: &generator), keyID: keyID, transactionKey: transaction,
                device: bytes(device)),
            try TransactionChannel(
                .password, session: session, keyID: .make(using: &generator), transactionKey: transaction,
                device: bytes(device)),
            try TransactionChannel(
                .password, session: session, keyID: keyID, transactionKey: .init(), device: bytes(device)),
            try TransactionChannel(
                .password, session: session, keyID: keyID, transactionKey: transaction, device: bytes(transaction)),
        ]
        for other in others {
            #expect(throws: TransactionChannel.Fault.seal) { try other.open(sealed, nonce: Self.nonce) }
        }
    }

    @Test(arguments: [[UInt8](), [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31), [1, 2, 3]])
    func `the channel to a transaction key refuses public keys that give no secret`(_ key: [UInt8]) throws {
        let (session, keyID) = (try #require(Self.session), try #require(Self.keyID))
        #expect(throws: TransactionChannel.Fault.publicKey) {
            try TransactionChannel(.password, session: session, keyID: keyID, transactionKey: transaction, device: key)
        }
    }

    @Test(arguments: [0, 11, 13, 24]) func `the channel to a transaction key takes nonces of twelve bytes only`(
        _ count: Int
    ) throws {
        let channel = try atDevice(.password)
        let nonce = [UInt8](repeating: 7, count: count)
        #expect(throws: TransactionChannel.Fault.nonce) { try channel.seal([1], nonce: nonce) }
        #expect(throws: TransactionChannel.Fault.nonce) { try channel.open(Self.hash, nonce: nonce) }
    }
}

@Suite struct `The seal at rest` {
    private static let first = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let second = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

    @Test func `the seal at rest opens what it sealed for the same purpose, under any of its keys`() throws {
        var generator = SystemRandomNumberGenerator()
        let old = try #require(SecretSeal(keyFile: Self.first))
        let new = try #require(SecretSeal(keyFile: "\(Self.second)\n\(Self.first)\n"))
        let sealed = try old.seal([1, 2, 3], for: "a", using: &generator)
        #expect(try old.open(sealed, for: "a") == [1, 2, 3] && new.open(sealed, for: "a") == [1, 2, 3])
        #expect(throws: SecretSeal.Fault.self) { try old.open(sealed, for: "b") }
        let later = try new.seal([4], for: "a", using: &generator)
        #expect(try new.open(later, for: "a") == [4])
        #expect(throws: SecretSeal.Fault.self) { try old.open(later, for: "a") }
        for index in sealed.indices {
            var other = sealed
            other[index] ^= 0x80
            #expect(throws: SecretSeal.Fault.self) { try old.open(other, for: "a") }
            #expect(throws: SecretSeal.Fault.self) { try old.open(Array(sealed.prefix(index)), for: "a") }
        }
        #expect(try old.seal([1, 2, 3], for: "a", using: &generator) != sealed, "a nonce is used once")
    }

    /// The steps of Enrolment.md, each of which is a rolling restart: gateways of both files run side by side.
    @Test func `the seal at rest opens what gateways on either side of a step of the change of keys have sealed`()
        throws
    {
        var generator = SystemRandomNumberGenerator()
        let steps = try [
            [Self.first], [Self.first, Self.second], [Self.second, Self.first],
        ].map { try #require(SecretSeal(keyFile: $0.joined(separator: "\n"))) }
        for (before, after) in zip(steps, steps.dropFirst()) {
            for (sealer, opener) in [(before, after), (after, before)] {
                let sealed = try sealer.seal([1, 2, 3], for: "a", using: &generator)
                #expect(try opener.open(sealed, for: "a") == [1, 2, 3])
            }
        }
        // If the new key came first at once, gateways not yet restarted could not open what it has sealed.
        let early = try steps[2].seal([1, 2, 3], for: "a", using: &generator)
        #expect(throws: SecretSeal.Fault.self) { try steps[0].open(early, for: "a") }
        // The old key stays only to open what earlier enrolments have sealed.
        let last = try #require(SecretSeal(keyFile: Self.second))
        #expect(try last.open(early, for: "a") == [1, 2, 3])
        let old = try steps[1].seal([1, 2, 3], for: "a", using: &generator)
        #expect(throws: SecretSeal.Fault.self) { try last.open(old, for: "a") }
    }

    @Test(arguments: [
        "", "\n", "short", "AAAA", first + first, "\(first)\nAAAA", String(repeating: first + "\n", count: 9),
    ])
    func `the seal at rest takes files of one to eight keys only`(_ file: String) {
        #expect(SecretSeal(keyFile: file) == nil)
    }
}
