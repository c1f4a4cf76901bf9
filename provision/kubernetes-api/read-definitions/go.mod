module whodunit.local/read-definitions

go 1.16
