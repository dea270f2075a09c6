"""The Chat page: questions, their answers as they come, and the evidence they rest on."""
