/** Warnings about what others do: counted, and not all written, so that a flood of them costs no disk. */
import type { Logger } from '../host/log.ts';

const FIRST = 10;
const THEN_EVERY = 1000;

/** @returns writes the first ten warnings, then one in a thousand, each with the count */
export function countedWarnings(log: Logger): (text: string) => void {
  let count = 0;
  return (text) => {
    count++;
    if (count <= FIRST || count % THEN_EVERY === 0) log.warning(`${text} (${count} so far).`);
  };
}
