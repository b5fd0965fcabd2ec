// PostgresCaptureStore
