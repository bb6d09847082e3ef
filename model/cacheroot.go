package model

// CacheRoot is the folder in which the Hugging Face cache keeps models: hub under HF_HOME, else under ~/.cache/huggingface. It
// is empty where there is neither HF_HOME nor a home folder.
func CacheRoot() string { return cacheRoot() }
