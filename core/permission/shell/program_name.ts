/** Last name of a program's path: `/bin/rm` is `rm`. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

/** The program's name when it is called by name or from a folder of the system; undefined for any other file. */
export function systemProgram(program: string): string | undefined {
  const folder = program.slice(0, program.length - baseName(program).length);
  return ["", "/bin/", "/usr/bin/"].includes(folder) ? baseName(program) : undefined;
}
