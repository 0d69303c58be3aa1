package box

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// passDoors opens sockets in the network of the run and passes them out: who holds them
// outside is the only way out of it. Those inside cannot open the same ones, because it
// takes a right to listen on ports below 1024.
func passDoors(doors []string) error {
	var fds []int
	defer func() {
		for _, fd := range fds {
			_ = unix.Close(fd) // the other side has it
		}
		_ = unix.Close(Doors) // nothing else is passed
	}()
	if err := secondAddress(); err != nil {
		return fmt.Errorf("address: %w", err)
	}
	for _, d := range doors {
		fd, err := door(d)
		if err != nil {
			return fmt.Errorf("%s: %w", d, err)
		}
		fds = append(fds, fd)
	}
	return unix.Sendmsg(Doors, []byte{byte(len(fds))}, unix.UnixRights(fds...), nil, 0)
}

// door opens one socket, such as tcp loopback 80 or tcp any 443.
func door(text string) (int, error) {
	words := strings.Fields(text)
	if len(words) != 3 {
		return -1, errors.New("want a kind, an address and a port")
	}
	port, err := strconv.ParseUint(words[2], 10, 16)
	if err != nil {
		return -1, err
	}
	to := &unix.SockaddrInet4{Port: int(port)}
	if words[1] == "loopback" {
		to.Addr = [4]byte{127, 0, 0, 1}
	}
	kind := unix.SOCK_STREAM
	if words[0] == "udp" {
		kind = unix.SOCK_DGRAM
	}
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	err = unix.Bind(fd, to)
	if err == nil && kind == unix.SOCK_STREAM {
		err = unix.Listen(fd, 128)
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}
