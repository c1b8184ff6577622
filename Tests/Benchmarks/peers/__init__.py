"""The other programs: each ingest is a whole process, each query a worker with an open, warm connection."""
