// RedisCaptureQueue
