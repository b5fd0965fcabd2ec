// CaptureGateway
