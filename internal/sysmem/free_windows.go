package sysmem

import "golang.org/x/sys/windows"

// FreeDisk is what this user may still write to the volume of dir, in bytes.
func FreeDisk(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return int64(free), err
}
