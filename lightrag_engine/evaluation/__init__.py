"""Weighing answers: variants side by side, votes, a judge, question sets, reports."""
