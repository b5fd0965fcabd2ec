// CaptureSettings
