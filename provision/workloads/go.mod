module whodunit/workloads

go 1.21
