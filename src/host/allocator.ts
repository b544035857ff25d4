/**
 * How our processes use glibc's allocator. By default each thread that allocates gets an arena of its own, and what is
 * freed stays in them: 2 MB of each process. With a threshold that is set, what is free at the end of the heap is given
 * back, however large a block ever was. Other C libraries pass both over. `bin/` sets the same for daemons that a user
 * starts.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** The environment for a process of ours, with what its allocator is told; what the user has set stays. */
export function withAllocatorSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...SETTINGS, ...env };
}

/**
 * Called when a process of ours begins: the allocator has read its settings, and the programs that we start are not to
 * get them.
 */
export function dropAllocatorSettings(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(SETTINGS)) if (env[name] === value) delete env[name];
}
