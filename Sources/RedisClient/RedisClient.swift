// RedisClient
