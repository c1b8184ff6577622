"""What every part of the benchmark stands on: processes, data sets, medians, the machine, the file of results."""
