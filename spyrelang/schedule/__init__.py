"""From KTIR to placed programs: the schedule model and its passes."""
