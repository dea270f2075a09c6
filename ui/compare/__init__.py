"""The Compare page: what is asked, the columns, and weighing them."""
