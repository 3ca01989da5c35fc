"""The decoded, serialisable form of DataflowIR."""
