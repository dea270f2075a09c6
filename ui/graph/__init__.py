"""The graph screen's parts: address, drawing, controls, details, communities, analysis, exports."""
