/** The permissions of the product, in source and compiled form alike: everything but `ffi` and `import`. */
export const RUN_FLAGS = [
  "--allow-read",
  "--allow-write",
  "--allow-net",
  "--allow-env",
  "--allow-run",
  "--allow-sys",
  "--unstable-worker-options",
  "--no-prompt",
] as const;
