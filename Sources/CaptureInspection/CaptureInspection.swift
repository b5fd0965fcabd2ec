// CaptureInspection
