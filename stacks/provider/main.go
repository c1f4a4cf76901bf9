// The real dmacvicar/libvirt provider, built from its public Go module, for hosts that cannot reach the
// Terraform registry. It serves the code of that release unchanged; its version lives in the file name, which is
// where Terraform reads it from.
package main

import (
	"flag"
	"fmt"

	"github.com/dmacvicar/terraform-provider-libvirt/libvirt"
	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"
)

// version is set by the linker (-X main.version=0.8.3).
var version = "unknown"

func main() {
	show := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *show {
		fmt.Println(version)
		return
	}
	defer libvirt.CleanupLibvirtConnections()
	plugin.Serve(&plugin.ServeOpts{ProviderFunc: libvirt.Provider})
}
