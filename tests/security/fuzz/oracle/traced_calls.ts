/** The system calls that the oracle looks at, as strace wants them; `?` marks those that not every machine has. */
export const TRACED = [
  // processes, to know whose call it is
  ..."?fork ?vfork ?clone ?clone3 execve execveat".split(" "),
  // files
  ..."?open openat openat2 ?creat ?rename renameat ?renameat2 ?unlink unlinkat ?rmdir ?mkdir mkdirat ?link linkat ?symlink symlinkat"
    .split(" "),
  ..."?mknod mknodat ?chmod fchmod fchmodat ?fchmodat2 ?chown ?lchown fchown fchownat ?utime ?utimes ?futimesat utimensat truncate"
    .split(" "),
  ..."ftruncate setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr mount umount2 swapon pivot_root chroot"
    .split(" "),
  ..."acct sethostname setdomainname settimeofday clock_settime adjtimex ?clock_adjtime reboot ?iopl".split(
    " ",
  ),
  // network
  ..."connect bind listen ?accept accept4 sendto sendmsg ?sendmmsg".split(" "),
  // other processes
  ..."kill tkill tgkill ?pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo ptrace process_vm_readv process_vm_writev"
    .split(" "),
  ..."setns unshare ?bpf init_module finit_module ?keyctl ?add_key".split(" "),
].join(",");
