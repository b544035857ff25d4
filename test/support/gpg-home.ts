/** Copies of folders that gpg has worked in. */
import { cpSync } from 'node:fs';

/** Sockets and locks of an agent, which may go away, or stand there, while a folder is copied. */
const OF_AGENT = /\/S\.[^/]*$|\.lock$|\/\.#lk[^/]*$/;

/** Copies a folder without what belongs to the agent that runs, or has just been told to end, in it. */
export function copyWithoutAgent(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !OF_AGENT.test(path) });
}
