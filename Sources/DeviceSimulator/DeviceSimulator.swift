// DeviceSimulator
