"""spyrelang: write, schedule, run and export kernels for the Spyre dataflow accelerator."""
