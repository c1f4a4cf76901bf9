module whodunit/witness

go 1.21
