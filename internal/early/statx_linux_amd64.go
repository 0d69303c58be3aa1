package early

// sysStatx is the number of the system call statx.
const sysStatx = 332
