// Command licenses says which licenses Go modules are under.
//
// It reads one module a line from standard input, as a path and a version, and looks into the folder of that module in
// Go's module cache. For each it prints the module and the SPDX identifiers of its license files, all parted by blanks; a
// module that is not in the cache, or whose files are of no known license, has none.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/google/licensecheck"
	"golang.org/x/mod/module"
)

// enough is the share of a file, in percent, that must be text of a license: as on pkg.go.dev.
const enough = 75

// licenseFile has the names that pkg.go.dev takes for those of license files.
var licenseFile = regexp.MustCompile(`(?i)^(copying|licen[cs]e)(\.(md|markdown|txt|docs|code))?$`)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: licenses <module cache> < modules")
		os.Exit(2)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		path, version, _ := strings.Cut(lines.Text(), " ")
		fmt.Println(strings.Join(append([]string{path, version}, find(os.Args[1], path, version)...), " "))
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// find returns the identifiers, sorted; none where any license file is of no known license.
func find(cache, path, version string) []string {
	folder, err := folderOf(cache, path, version)
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	found := map[string]bool{}
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !licenseFile.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil
		}
		cover := licensecheck.Scan(text)
		if cover.Percent < enough {
			return nil
		}
		for _, match := range cover.Match {
			found[match.ID] = true
		}
	}
	ids := make([]string, 0, len(found))
	for id := range found {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

func folderOf(cache, path, version string) (string, error) {
	escapedPath, err := module.EscapePath(path)
	if err != nil {
		return "", err
	}
	escapedVersion, err := module.EscapeVersion(version)
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, filepath.FromSlash(escapedPath)+"@"+escapedVersion), nil
}
