"""Does the ten-thousandth chunk cost the same as the first? See `benchmarks.soak.__main__`."""
