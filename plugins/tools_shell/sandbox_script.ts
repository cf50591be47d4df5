/**
 * Builds the argument list of `bwrap` and runs it. It runs in the shell because the worker may not look at most of
 * the places that are hidden. Arguments: the path of bwrap, then pairs of a word and a path, then `--` and the command. With `-` for
 * bwrap its arguments are printed instead, each with a NUL behind it.
 *
 * - `arg X`: X as it stands
 * - `cover P`: an empty folder over P, in which roots are mounted afterwards
 * - `blank P`: P is empty, as if nothing had been set up there; programs that read it go on
 * - `deny P`: P cannot be opened (a file) or is empty (a folder)
 * - `lock P`: P can be read but not changed
 * - `pin P`: P can be written in but not renamed, so that what is mounted below stays where it is
 * - `repo P`: P/.git can be used but neither replaced nor given hooks or settings that would run something outside; so can
 *   its submodules, its other working trees and the repositories in the folders below. Of a P/.git that leads out of P, which
 *   a command may have made, nothing is opened
 * - `sockets`: what listens outside of /run and /tmp cannot be reached (`/proc/net/unix` names it)
 *
 * Places that do not exist are passed over; links are followed first, for bwrap mounts on real places only.
 */
export const SANDBOX_SCRIPT = `
bwrap=$1; shift
argv=()
real() {
  p=$1
  [ -e "$p" ] || return 1
  if [ -L "$p" ]; then p=$(PATH=/usr/bin:/bin readlink -f -- "$p")
  elif builtin cd -P -- "\${p%/*}/" 2>/dev/null; then p=\${PWD%/}/\${p##*/}; fi
}
deny() { if [ -d "$1" ]; then argv+=(--tmpfs "$1" --remount-ro "$1"); else argv+=(--ro-bind /dev/null "$1"); fi; }
blank() {
  if [ -d "$1" ] || [ "$bwrap" = - ]; then deny "$1"
  else builtin exec {fd}</dev/null; argv+=(--ro-bind-data "$fd" "$1"); fi
}
lock() { argv+=(--ro-bind "$1" "$1"); }
pin() { argv+=(--bind "$1" "$1"); }
guard() {
  if [ -e "$1/hooks" ]; then lock "$1/hooks"; else argv+=(--tmpfs "$1/hooks" --remount-ro "$1/hooks"); fi
  if [ -e "$1/config" ]; then lock "$1/config"; else argv+=(--ro-bind /dev/null "$1/config"); fi
  for file in config.worktree commondir gitdir; do if [ -f "$1/$file" ]; then lock "$1/$file"; fi; done
  modules "$1/modules" 6
  if [ -d "$1/worktrees" ] && [ ! -L "$1/worktrees" ]; then
    pin "$1/worktrees"
    for tree in "$1"/worktrees/*; do
      if [ -f "$tree/commondir" ] && [ ! -L "$tree" ]; then
        pin "$tree"
        for file in config.worktree commondir gitdir; do if [ -f "$tree/$file" ]; then lock "$tree/$file"; fi; done
      fi
    done
  fi
}
modules() {
  local folder
  if [ ! -d "$1" ] || [ -L "$1" ] || [ "$2" = 0 ]; then return; fi
  pin "$1"
  for folder in "$1"/*; do
    if [ -L "$folder" ]; then continue
    elif [ -e "$folder/HEAD" ]; then pin "$folder"; guard "$folder"
    else modules "$folder" "$(($2 - 1))"; fi
  done
}
sockets() {
  while read -r _ _ _ _ _ _ _ path; do
    case $path in
      /run/*|/var/run/*|/tmp/*) ;;
      /*) if [ -S "$path" ] && real "$path"; then argv+=(--ro-bind /dev/null "$p"); fi ;;
    esac
  done </proc/net/unix
} 2>/dev/null
while [ "$1" != -- ]; do
  word=$1 path=$2; shift 2
  case $word in
    arg) argv+=("$path") ;;
    cover) if real "$path"; then if [ -d "$p" ]; then argv+=(--tmpfs "$p"); else deny "$p"; fi; fi ;;
    blank) if real "$path"; then blank "$p"; fi ;;
    deny) if real "$path"; then deny "$p"; fi ;;
    sockets) sockets ;;
    lock) if real "$path"; then lock "$p"; fi ;;
    pin) if [ ! -L "$path" ] && real "$path" && [ -d "$p" ] && [ "$p" = "$path" ]; then pin "$p"; fi ;;
    repo)
      if real "$path/.git"; then
        if [ ! -d "$p" ]; then lock "$p"
        else case $p in "$path"/*) pin "$p"; guard "$p" ;; esac; fi
      fi
      for nested in "$path"/*/.git "$path"/*/*/.git; do
        if [ -f "$nested/HEAD" ] && real "$nested"; then
          case $p in "$path"/*) pin "$p"; guard "$p" ;; esac
        elif [ -f "$nested" ] && [ ! -L "$nested" ] && real "$nested"; then lock "$p"
        fi
      done ;;
  esac
done
shift
if [ "$bwrap" = - ]; then builtin printf '%s\\0' "\${argv[@]}"; exit; fi
unset OLDPWD
exec "$bwrap" "\${argv[@]}" -- "$@"
`;
