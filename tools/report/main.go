// Command report prints the size of every package of this module, as a thermometer: files, lines, tests, comments, lengths of files and functions.
//
//	go run ./tools/report           # the table
//	go run ./tools/report --check   # also fails where a package is larger, or has fewer comments, than the house allows
//
// Lines are those of files without tests; code is what is left of them without comments and empty lines. A comment's share is of the lines that are
// not empty. Documented is the share of exported functions, types, constants and variables with a comment.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

func main() {
	check := flag.Bool("check", false, "fail where a package breaks a rule of the house")
	flag.Parse()
	list, err := measure(os.DirFS("."))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	write(os.Stdout, list)
	if faults := broken(list); *check && len(faults) > 0 {
		fmt.Println()
		for _, f := range faults {
			fmt.Println(f)
		}
		os.Exit(1)
	}
}

func write(out io.Writer, list []room) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "files\tlines\tcode\ttests\tcomments\tfile p50\tp90\tfunction p50\tp90\tover 60\tdocumented\t\tpackage")
	all := room{name: "all"}
	for _, r := range list {
		fmt.Fprintln(w, r)
		all.add(r)
	}
	fmt.Fprintln(w, all)
	w.Flush()
	for _, t := range totals(list) {
		fmt.Fprintf(out, "\n%d %s, at most %d", t.many, t.what, t.most)
	}
	fmt.Fprintln(out)
}

// String is a row of the table.
func (r room) String() string {
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t\t%s", len(r.files), r.lines, r.code, r.tests, percent(r.comments, r.code+r.comments),
		quantile(r.files, 0.5), quantile(r.files, 0.9), quantile(r.functions, 0.5), quantile(r.functions, 0.9), r.long(), percent(r.documented, r.exported), r.name)
}

func percent(part, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(all))
}
