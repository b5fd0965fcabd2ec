extension Setting {
    // MARK: Apple's servers

    package static let appleKeyFile = Setting(
        "apple.keyFile", .text, nil,
        "The developer's key for Apple's DeviceCheck service (AuthKey_….p8); nothing is sent to Apple without it."
    )
    package static let appleKeyID = Setting(
        "apple.keyID", .text, nil, "Apple's name for that key: ten letters and digits.")
    package static let appleTeamID = Setting(
        "apple.teamID", .text, nil, "The developer's team: ten letters and digits.")
    package static let appleTimeout = Setting(
        "apple.timeout", .duration(.milliseconds(100) ... .seconds(60)), "10s",
        "How long Apple may take to answer: for a receipt, or for a question about a device with all its tries."
    )
    package static let appleReceiptsURL = Setting(
        "apple.receiptsURL", .text, "https://data.appattest.apple.com",
        "Where receipts of shipped apps are exchanged; plain http only on this machine, for a stand-in."
    )
    package static let appleReceiptsDevelopmentURL = Setting(
        "apple.receiptsDevelopmentURL", .text, "https://data-development.appattest.apple.com",
        "The same for development builds."
    )
    package static let appleDeviceCheckURL = Setting(
        "apple.deviceCheckURL", .text, "https://api.devicecheck.apple.com",
        "Where shipped apps' devices without App Attest are asked for."
    )
    package static let appleDeviceCheckDevelopmentURL = Setting(
        "apple.deviceCheckDevelopmentURL", .text, "https://api.development.devicecheck.apple.com",
        "The same for development builds."
    )
    package static let receiptsInterval = Setting(
        "receipts.interval", .duration(.seconds(1) ... .seconds(2_505_600)), "24h",
        "How long a renewed receipt is kept at least before it is exchanged again; Apple takes it after a day, for a month."
    )
    package static let receiptsPollInterval = Setting(
        "receipts.pollInterval", .duration(.milliseconds(50) ... .seconds(3600)), "10s",
        "How often an idle worker looks for a receipt that is due."
    )
    package static let receiptsRetryBase = Setting(
        "receipts.retryBase", .duration(.milliseconds(50) ... .seconds(3600)), "1m",
        "The bound of the first wait after a failed exchange; it doubles with every try."
    )
    package static let receiptsRetryCap = Setting(
        "receipts.retryCap", .duration(.milliseconds(50) ... .seconds(604_800)), "6h",
        "The highest bound of such a wait."
    )
    package static let receiptsAlarmPause = Setting(
        "receipts.alarmPause", .duration(.milliseconds(50) ... .seconds(86_400)), "15m",
        "How long a worker asks nothing in an environment after Apple has refused the developer's key or many receipts."
    )
    package static let receiptsUnknownPause = Setting(
        "receipts.unknownPause", .duration(.seconds(1) ... .seconds(7_776_000)), "7d",
        "How long a receipt is left alone that Apple refuses or knows nothing of."
    )
    package static let receiptsRiskWarning = Setting(
        "receipts.riskWarning", .integer(0...1_000_000), nil,
        "The risk metric above which captures are verified with a warning; takes apple.keyFile, off when not set."
    )

    /// The addresses of Apple's servers.
    static let appleAddresses = [
        appleReceiptsURL, appleReceiptsDevelopmentURL, appleDeviceCheckURL, appleDeviceCheckDevelopmentURL,
    ]

    /// The settings of Apple's servers and of receipts.
    static let apple = [
        appleKeyFile, appleKeyID, appleTeamID, appleTimeout, appleReceiptsURL, appleReceiptsDevelopmentURL,
        appleDeviceCheckURL, appleDeviceCheckDevelopmentURL, receiptsInterval, receiptsPollInterval, receiptsRetryBase,
        receiptsRetryCap, receiptsAlarmPause, receiptsUnknownPause, receiptsRiskWarning,
    ]
}
