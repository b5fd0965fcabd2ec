// Multipart
