"""The Evaluate page: question sets, their runs, and what these show."""
