// CaptureProcessing
