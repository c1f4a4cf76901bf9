// Command registry is the registry of https://github.com/distribution/distribution, with the one storage driver that a cell
// needs: its own program brings those of every cloud, which take most of the time to compile.
package main

import (
	"os"

	"github.com/distribution/distribution/v3/registry"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
)

func main() {
	if err := registry.RootCmd.Execute(); err != nil {
		os.Exit(1)
	}
}
