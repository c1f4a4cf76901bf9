module whodunit/scenario-programs

go 1.26
