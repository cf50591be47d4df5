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
 * - `repo P`: P/.git can be used but neither replaced nor given hooks or settings that would run something outside, and
 *   so can the repositories in the folders below
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
guard() {
  if [ -e "$1/hooks" ]; then lock "$1/hooks"; else argv+=(--tmpfs "$1/hooks" --remount-ro "$1/hooks"); fi
  if [ -e "$1/config" ]; then lock "$1/config"; else argv+=(--ro-bind /dev/null "$1/config"); fi
  for file in config.worktree commondir; do if [ -f "$1/$file" ]; then lock "$1/$file"; fi; done
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
    repo)
      if real "$path/.git"; then
        if [ -d "$p" ]; then
          argv+=(--bind "$p" "$p"); git=$p
          guard "$git"
          for module in "$git"/modules/*/; do [ -e "$module/HEAD" ] && guard "\${module%/}"; done
        else lock "$p"; fi
      fi
      for nested in "$path"/*/.git "$path"/*/*/.git; do
        if [ -f "$nested/HEAD" ] && real "$nested"; then
          case $p in "$path"/*) argv+=(--bind "$p" "$p"); guard "$p" ;; esac
        fi
      done ;;
  esac
done
shift
if [ "$bwrap" = - ]; then builtin printf '%s\\0' "\${argv[@]}"; exit; fi
unset OLDPWD
exec "$bwrap" "\${argv[@]}" -- "$@"
`;
