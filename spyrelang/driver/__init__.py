"""What ties the stages together: kernels, the stage ladder, the cache, loading texts."""
