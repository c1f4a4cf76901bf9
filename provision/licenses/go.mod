module whodunit/licenses

go 1.19

require (
	github.com/google/licensecheck v0.3.1
	golang.org/x/mod v0.12.0
)
